/**
 * Many desktops on one machine: 50 X servers, window managers and executables of deskhand, which then all do 20 clicks
 * and 2 pictures a second at once.
 */

import { delay } from "@std/async/delay";
import { Xvfb } from "../tests/support/xvfb.ts";
import { until } from "../tests/support/shell.ts";
import { percentile, processorMs, residentMb } from "./measure.ts";
import { executablePath } from "./start.ts";
import type { Row } from "./table.ts";

const DESKTOPS = 50, SECONDS = 10, WIDTH = 1280, HEIGHT = 720;
/** A second, of each desktop. */
const CLICKS = 20, PICTURES = 2;

/** One desktop. */
interface Desk {
  url: string;
  pid: number;
  server: Xvfb;
  /** Milliseconds from the start of the process until the desktop is ready. */
  readyMs: number;
  stop(): Promise<void>;
}

async function startDesk(program: string, home: string): Promise<Desk> {
  const server = await Xvfb.start({ width: WIDTH, height: HEIGHT });
  const manager = server.spawn("openbox");
  const began = performance.now();
  const child = new Deno.Command(program, {
    args: ["--http", "0"],
    env: { ...server.env, XDG_STATE_HOME: home, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let printed = "", port: string | undefined;
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  while (!port) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`deskhand did not start: ${printed}`);
    port = /port (\d+)\n/.exec(printed += value)?.[1];
  }
  reader.cancel();
  const url = `http://127.0.0.1:${port}`;
  await until(() => fetch(`${url}/readyz`).then(async (answer) => (await answer.body?.cancel(), answer.ok)));
  return {
    url,
    pid: child.pid,
    server,
    readyMs: performance.now() - began,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
      await manager[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}

/** Repeats a call at a rate, and keeps the time of each call; late calls are made at once. */
async function atRate(perSecond: number, seconds: number, act: () => Promise<unknown>): Promise<number[]> {
  const start = performance.now() + 1000 * Math.random() / perSecond, took: number[] = [];
  for (let i = 0; i < perSecond * seconds; i++) {
    const due = start + 1000 * i / perSecond, wait = due - performance.now();
    if (wait > 0) await delay(wait);
    const began = performance.now();
    await act();
    took.push(performance.now() - began);
  }
  return took;
}

const shown = (numbers: number[], unit: string) =>
  `median ${percentile(numbers, 0.5).toFixed(1)}, 99 % ${percentile(numbers, 0.99).toFixed(1)}, most ${
    percentile(numbers, 1).toFixed(1)
  } ${unit}`;

/** Clicks and takes pictures; gives the time of each, and the whole time. */
async function work({ url }: Desk) {
  const click = () =>
    fetch(`${url}/api/click`, {
      method: "POST",
      body: JSON.stringify({
        x: Math.floor(Math.random() * WIDTH),
        y: Math.floor(Math.random() * HEIGHT),
        button: "left",
      }),
    }).then((answer) => answer.json());
  const picture = () => fetch(`${url}/api/screenshot?format=png`).then((answer) => answer.bytes());
  const began = performance.now();
  const [clicks, pictures] = await Promise.all([
    atRate(CLICKS, SECONDS, click),
    atRate(PICTURES, SECONDS, picture),
  ]);
  return { clicks, pictures, seconds: (performance.now() - began) / 1000 };
}

/** Starts as many at a time as the machine has processors: all at once would measure the queue for them. */
async function startAll(desks: Desk[], program: string, home: string): Promise<void> {
  let started = 0;
  const lanes = Array.from({ length: navigator.hardwareConcurrency }, async () => {
    while (started < DESKTOPS) desks.push(await startDesk(program, `${home}/${started++}`));
  });
  await Promise.all(lanes);
}

/** Measures many desktops on one machine. */
export async function fleetRows(): Promise<Row[]> {
  const home = await Deno.makeTempDir({ prefix: "deskhand-fleet-" }), desks: Desk[] = [];
  try {
    await startAll(desks, await executablePath(), home);
    const memory = () => Promise.all(desks.map(({ pid }) => residentMb(pid)));
    const processor = () =>
      desks.map(({ pid, server }) => ({ own: processorMs(pid), display: processorMs(server.pid) }));
    const idle = await memory(), before = processor();
    const done = await Promise.all(desks.map(work)), after = processor(), busy = await memory();
    const clicks = done.flatMap(({ clicks }) => clicks), pictures = done.flatMap(({ pictures }) => pictures);
    const seconds = Math.max(...done.map(({ seconds }) => seconds));
    const spent = (of: "own" | "display") => after.map((time, i) => time[of] - before[i][of]);
    const rate = (count: number) => `${(count / seconds).toFixed(0)}/s`;
    const row = (what: string, ours: string, aim = ""): Row => ({
      what: `${DESKTOPS} desktops: ${what}`,
      ours,
      against: "",
      theirs: "",
      aim,
    });
    return [
      row("start of one until it is ready", shown(desks.map(({ readyMs }) => readyMs), "ms")),
      row("memory of one, ready", shown(idle, "MB")),
      row("memory of one, after the work", shown(busy, "MB")),
      row(
        `processor time of one for ${SECONDS * CLICKS} clicks, ${SECONDS * PICTURES} pictures`,
        shown(spent("own"), "ms"),
      ),
      row("that of its X server", shown(spent("display"), "ms")),
      row("clicks done", rate(clicks.length), `${DESKTOPS * CLICKS}/s`),
      row("clicks answered after", shown(clicks, "ms")),
      row("PNG pictures done", rate(pictures.length), `${DESKTOPS * PICTURES}/s`),
      row("PNG pictures answered after", shown(pictures, "ms")),
    ];
  } finally {
    await Promise.all(desks.map((desk) => desk.stop()));
    await Deno.remove(home, { recursive: true });
  }
}
