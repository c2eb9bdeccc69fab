/** Finding pictures compared with OpenCV, which PyAutoGUI uses, and how long others wait during a search. */

import { fromFileUrl } from "@std/path";
import { Program } from "../tests/support/program.ts";
import { temporary, until } from "../tests/support/shell.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { askPosition, type Contest, contest, percentile } from "./measure.ts";
import { type Row, rowsOf } from "./table.ts";

/** The system's Python, which has the module. */
const PYTHON = "/usr/bin/python3";
const SCREEN = { width: 1920, height: 1080 };
/** Pictures cut from a screen with a logo and an xterm full of text, and the search parameters. */
const CASES: [what: string, region: string, query: string][] = [
  ["find 64x48", "x=1600&y=900&width=64&height=48", ""],
  ["find 64x48, tolerance 10", "x=1600&y=900&width=64&height=48", "?tolerance=10"],
  ["find 200x100 of text", "x=300&y=300&width=200&height=100", ""],
  [
    "find 200x100 of text, match 0.9",
    "x=300&y=300&width=200&height=100",
    "?match=0.9",
  ],
];
const AIM = "40 ms";

/** Measures finding pictures on a 1920x1080 desktop. */
export async function findRows(): Promise<Row[]> {
  await using server = await Xvfb.start(SCREEN);
  await using _logo = server.spawn(
    "xlogo",
    "-geometry",
    "300x200+1500+860",
    "-fg",
    "#ff8020",
    "-bg",
    "#204060",
  );
  const lines = "ls -lR /usr/share/doc | head -3000; sleep 1000";
  await using _text = server.spawn("xterm", "-geometry", "120x50+100+80", "-e", "sh", "-c", lines);
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl();
  await until(() => screenshot(url, "format=png"), (png) => png.length > 30_000);
  await (await fetch(`${url}/api/wait`, { method: "POST", body: '{"still":{"ms":1000}}' })).text();
  const rows: Row[] = [];
  for (const [what, region, query] of CASES) rows.push(...await findCase(url, what, region, query));
  return [...rows, await waiting(url)];
}

function findCase(url: string, what: string, region: string, query: string): Promise<Row[]> {
  return temporary(async (folder) => {
    const screen = `${folder}/screen.png`, cut = `${folder}/cut.png`;
    await Deno.writeFile(screen, await screenshot(url, "format=png"));
    await Deno.writeFile(cut, await screenshot(url, `format=png&${region}`));
    if (query.includes("match")) await erase(cut);
    const file = await Deno.readFile(cut);
    const contestants: Contest<string> = { deskhand: () => perSecond(() => find(url, file, query)) };
    for (const color of Object.keys(await openCv(screen, cut) ?? {})) {
      const name = `OpenCV's matchTemplate alone, ${color}`;
      contestants[name] = async () => (await openCv(screen, cut))![color];
    }
    const best = await contest(contestants);
    const ms = (rate: number) => `${(1000 / rate).toFixed(1)} ms`;
    return rowsOf(what, best, () => query.includes("match") ? "none" : AIM, ms);
  });
}

/** Measures calls per second, for about a second. */
async function perSecond(call: () => Promise<void>): Promise<number> {
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < 1000) {
    await call();
    count++;
  }
  return count / ((performance.now() - start) / 1000);
}

async function screenshot(url: string, query: string): Promise<Uint8Array<ArrayBuffer>> {
  return await (await fetch(`${url}/api/screenshot?${query}`)).bytes();
}

async function find(url: string, file: Uint8Array<ArrayBuffer>, query: string): Promise<void> {
  const answer = await fetch(`${url}/api/find${query}`, { method: "POST", body: file });
  const { matches } = await answer.json();
  if (matches?.length !== 1) throw new Error("the picture was not found");
}

/** Erases the text in a fifth of a 200x100 picture. */
async function erase(file: string): Promise<void> {
  const args = [file, "-fill", "white", "-draw", "rectangle 0,0 39,99", file];
  const { success } = await new Deno.Command("convert", { args }).output();
  if (!success) throw new Error("convert failed");
}

/** Measures OpenCV searches per second, in colour; undefined if it is not installed. */
async function openCv(screen: string, cut: string): Promise<Record<string, number> | undefined> {
  const script = fromFileUrl(new URL("./opencv.py", import.meta.url));
  const { success, stdout } = await new Deno.Command(PYTHON, {
    args: [script, screen, cut],
    stderr: "null",
  }).output();
  if (success) return JSON.parse(new TextDecoder().decode(stdout));
  console.error("python3-opencv is not installed: it is left out");
}

/** Measures how long another client waits while pictures are searched for one after the other. */
async function waiting(url: string): Promise<Row> {
  const file = await screenshot(url, "format=png&x=300&y=300&width=200&height=100");
  const waits: number[] = [];
  const asking = askPosition(url, waits);
  for (let i = 0; i < 100; i++) await find(url, file, "?tolerance=10");
  await asking.end();
  const [median, p99, most] = [0.5, 0.99, 1].map((share) => percentile(waits, share).toFixed(1));
  return {
    what: "position beside searches: answered after",
    ours: `median ${median}, 99 % ${p99}, most ${most} ms`,
    against: "",
    theirs: "",
    aim: "below 5 ms",
  };
}
