/**
 * Verdicts: scripted clicks on controls of real programs and beside them, compared with the input that the programs
 * report.
 */

import { delay } from "@std/async/delay";
import { until } from "../tests/support/shell.ts";
import { Program } from "../tests/support/program.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { BOARDS } from "./boards.ts";
import { processorMs } from "./measure.ts";
import { costRows } from "./observe_cost.ts";
import { latencyRows } from "./observe_latency.ts";
import type { Row } from "./table.ts";

/** Clicks on controls of each program, and as many beside: without a video in view, and with one. */
const CLICKS = { still: 63, video: 62 };
/** The time that the screen is watched before it counts, in milliseconds. */
const WATCHED_MS = 3000;

const VIDEO =
  "-loglevel quiet -nostats -f lavfi -i testsrc=size=320x240:rate=25 -noborder -left 1300 -top 500"
    .split(" ");

/** Verdicts of a scene. */
interface Tally {
  right: number;
  wrong: number;
  unsure: number;
  /** The processor time of hits, and the time to their answers, in milliseconds. */
  ms: number[];
}

/**
 * Measures observed actions on a desktop of 1920x1080 with a window manager, with carets that blink in every program.
 */
export async function observeRows(): Promise<Row[]> {
  const rows = [...await latencyRows(), ...await costRows()];
  for (const [name, start] of Object.entries(BOARDS)) {
    await using server = await Xvfb.start({ width: 1920, height: 1080 });
    await using _manager = await server.manager("openbox");
    await using board = await start(server);
    await using _caret = server.spawn("xterm", "-T", "caret", "-bc", "-geometry", "40x8+1300+40");
    await using program = new Program(["--http", "0"], { env: server.env });
    const url = await program.controlUrl();
    const post = async (path: string, body: unknown) =>
      await (await fetch(url + path, { method: "POST", body: JSON.stringify(body) })).json();
    await until(() => post("/api/window/activate", { title: "caret" }), ({ error }) => !error);
    const title = name === "GTK" ? "board" : name;
    await until(() => post("/api/window/activate", { title, any: true }), ({ error }) => !error);
    for (const [kind, clicks] of Object.entries(CLICKS)) {
      await using _video = kind === "video" ? server.spawn("ffplay", ...VIDEO) : undefined;
      if (_video) {
        await server.window("--class", "ffplay");
        await post("/api/window/activate", { title, any: true });
      }
      await watch(url);
      const on: Tally = { right: 0, wrong: 0, unsure: 0, ms: [] };
      const beside: Tally = { right: 0, wrong: 0, unsure: 0, ms: [] };
      const before = processorMs(program.pid);
      for (let i = 0; i < clicks; i++) {
        const button = board.buttons[(i * 5) % board.buttons.length];
        const empty = { x: button.x + board.beside.x, y: button.y + board.beside.y };
        for (const [tally, place, expected] of [[on, button, "hit"], [beside, empty, "miss"]] as const) {
          const presses = board.presses(), asked = performance.now();
          const { seen } = await post("/api/click", { ...place, button: "left", observe: true });
          tally.ms.push(performance.now() - asked);
          if (expected === "hit") await until(board.presses, (count) => count > presses);
          else if (board.presses() !== presses) throw new Error(`${name}: a click beside pressed a button`);
          tally[seen.verdict === expected ? "right" : seen.verdict === "unsure" ? "unsure" : "wrong"]++;
          if (seen.verdict !== expected) console.error(`${name}, ${kind}: ${expected}`, JSON.stringify(seen));
        }
      }
      const cpu = (processorMs(program.pid) - before) / (2 * clicks);
      rows.push(rowOf(name, kind, on, beside, cpu));
    }
  }
  return rows;
}

/** Has deskhand watch the screen for a while, as it does beside an agent that works. */
async function watch(url: string): Promise<void> {
  const body = JSON.stringify({ x: 1900, y: 1060, observe: true });
  await (await fetch(`${url}/api/move`, { method: "POST", body })).body?.cancel();
  await delay(WATCHED_MS);
}

function rowOf(name: string, kind: string, on: Tally, beside: Tally, cpu: number): Row {
  const all = [on, beside],
    sum = (key: "right" | "wrong" | "unsure") => all.reduce((n, one) => n + one[key], 0);
  const median = (ms: number[]) => Math.round(ms.toSorted((a, b) => a - b)[ms.length >> 1]);
  const count = on.ms.length + beside.ms.length;
  return {
    what: `observed clicks in ${name}${kind === "video" ? ", beside a video" : ""}`,
    ours: `${sum("right")} of ${count} right, ${sum("wrong")} wrong, ${sum("unsure")} unsure`,
    against: "time and processor time of a click",
    theirs: `hit ${median(on.ms)} ms, miss ${median(beside.ms)} ms; ${cpu.toFixed(1)} ms`,
    aim: kind === "video" ? "99 % of the sure ones" : "99 %, unsure 5 %",
  };
}
