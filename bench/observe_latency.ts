/** The delay of observations, by other programs' clocks: one that draws, and xprop that lists windows. */

import { delay } from "@std/async/delay";
import { fromFileUrl } from "@std/path";
import { Program } from "../tests/support/program.ts";
import { until } from "../tests/support/shell.ts";
import { type Client, Xvfb } from "../tests/support/xvfb.ts";
import { percentile } from "./measure.ts";
import type { Row } from "./table.ts";

const WITNESS = fromFileUrl(new URL("boards/witness.py", import.meta.url));
const CLICKS = 25, WINDOWS = 10;
/** The time between two clicks or windows, and before the first, in milliseconds: the screen is watched and quiet. */
const APART_MS = 300, WATCHED_MS = 2500;

/** Measures the delay until deskhand reports the end of changes, or a window that opens. */
export async function latencyRows(): Promise<Row[]> {
  await using server = await Xvfb.start({ width: 1920, height: 1080 });
  await using _manager = await server.manager("openbox");
  await using witness = server.spawn("/usr/bin/python3", WITNESS);
  await until(() => witness.printed, (text) => text.includes("drawn"));
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl();
  return [
    row("an observed click's answer, after the last drawing", await settled(url, witness), "50 ms"),
    row(
      "a window that opens is told, after the window manager lists it",
      await opened(url, server),
      "100 ms",
    ),
  ];
}

function row(what: string, late: readonly number[], aim: string): Row {
  const [median, p90, most] = [0.5, 0.9, 1].map((share) => percentile(late, share).toFixed(0));
  return { what, ours: `median ${median}, 90 % ${p90}, most ${most} ms`, against: "", theirs: "", aim };
}

/** Milliseconds from the witness's last drawing to the answers of clicks on it. */
async function settled(url: string, witness: Client): Promise<number[]> {
  const post = async (path: string, body: unknown) =>
    await (await fetch(url + path, { method: "POST", body: JSON.stringify(body) })).json();
  const { windows } = await (await fetch(`${url}/api/windows`)).json();
  const { x, y } = windows.find(({ title }: { title: string }) => title === "witness");
  const place = { x: x + 100, y: y + 100 }, late: number[] = [];
  await post("/api/move", { ...place, observe: true });
  await delay(WATCHED_MS);
  for (let i = 0; i < CLICKS; i++) {
    const { seen } = await post("/api/click", { ...place, button: "left", observe: true });
    const answered = performance.timeOrigin + performance.now();
    if (seen.verdict !== "hit") throw new Error(JSON.stringify(seen));
    await delay(APART_MS);
    late.push(answered - Number([...witness.printed.matchAll(/drawn ([\d.]+)/g)].at(-1)![1]));
  }
  return late;
}

/** Milliseconds from the moment at which the window manager lists a window to the answer that tells it. */
async function opened(url: string, server: Xvfb): Promise<number[]> {
  const told = new Map<string, number>(), listed: number[] = [], late: number[] = [];
  let isOver = false;
  const reading = (async () => {
    for (let since = 0; !isOver;) {
      const query = since ? `?since=${since}&wait_ms=1000` : "";
      const changes = await (await fetch(`${url}/api/changes${query}`)).json();
      since = changes.serial;
      for (const { title } of changes.windows?.opened ?? []) {
        if (!told.has(title)) told.set(title, performance.now());
      }
    }
  })();
  await using spy = server.spawn("xprop", "-spy", "-root", "_NET_CLIENT_LIST");
  const lines = () => spy.printed.split("\n").length;
  await delay(WATCHED_MS);
  for (let i = 0; i < WINDOWS; i++) {
    {
      const before = lines();
      await using _window = server.spawn("xterm", "-T", `new ${i}`, "-geometry", "20x5+900+600");
      while (lines() === before) await delay(1);
      listed.push(performance.now());
      await until(() => told.has(`new ${i}`));
      late.push(told.get(`new ${i}`)! - listed.at(-1)!);
    }
    await delay(APART_MS); // the server gives the next window the same number: this one's end is told first
  }
  isOver = true;
  await reading;
  return late;
}
