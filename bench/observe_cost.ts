/**
 * Cost of observing: processor time of an action where nothing is animated, and the wait of other callers beside
 * observers.
 */

import { delay } from "@std/async/delay";
import type { Point } from "../control/desktop/desktop.ts";
import { Program } from "../tests/support/program.ts";
import { until } from "../tests/support/shell.ts";
import { Xvfb } from "../tests/support/xvfb.ts";
import { stillBoard } from "./boards.ts";
import { firstThreadMs, percentile, processorMs } from "./measure.ts";
import type { Row } from "./table.ts";

/** The time for which the screen is watched before the measurement, in milliseconds. */
const WATCHED_MS = 3000;
/**
 * Rounds of clicks of each kind, in turn, so that a slow moment of the machine meets all of them; and the rounds before
 * them that do not count, in which V8 compiles the code.
 */
const ROUNDS = 8, WARM_ROUNDS = 8, CLICKS = { same: 15, other: 15, beside: 5, plainSame: 15, plainOther: 15 };
const OBSERVERS = 4, POSITIONS = 2000;

/** Kinds of clicks. */
const KINDS: Record<keyof typeof CLICKS, { what: string; verdict?: string; aim: string }> = {
  same: { what: "a hit, the pointer being there", verdict: "hit", aim: "5 ms" },
  other: { what: "a hit at another place", verdict: "hit", aim: "5 ms" },
  beside: { what: "a miss at another place", verdict: "miss", aim: "none" },
  plainSame: { what: "a click that is not observed, the pointer being there", aim: "none" },
  plainOther: { what: "a click at another place that is not observed", aim: "none" },
};

/** Measures the cost of observed actions on a desktop of 1920x1080 with a window manager and one GTK program. */
export async function costRows(): Promise<Row[]> {
  await using server = await Xvfb.start({ width: 1920, height: 1080 });
  await using _manager = await server.manager("openbox");
  await using board = await stillBoard(server);
  await using program = new Program(["--http", "0"], { env: server.env });
  const url = await program.controlUrl();
  const post = async (path: string, body: unknown) =>
    await (await fetch(url + path, { method: "POST", body: JSON.stringify(body) })).json();
  const click = (place: Point, observe = true) => post("/api/click", { ...place, button: "left", observe });
  await until(() => post("/api/window/activate", { title: "board" }), ({ error }) => !error);
  await post("/api/move", { x: 1900, y: 1060, observe: true });
  await delay(WATCHED_MS);
  const { buttons, beside } = board;
  const same = () => buttons[0], other = (i: number) => buttons[(i * 5 + 5) % buttons.length];
  const places: Record<keyof typeof CLICKS, (i: number) => Point> = {
    same,
    other,
    beside: (i) => ({ x: buttons[i % 4].x + beside.x, y: buttons[i % 4].y + beside.y }),
    plainSame: same,
    plainOther: other,
  };
  const kinds = Object.keys(KINDS) as (keyof typeof CLICKS)[];
  const spent = new Map(kinds.map((kind) => [kind, { main: 0, all: 0 }]));
  for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
    for (const kind of kinds) {
      const sum = round < 0 ? { main: 0, all: 0 } : spent.get(kind)!;
      sum.main -= firstThreadMs(program.pid);
      sum.all -= processorMs(program.pid);
      for (let i = 0; i < CLICKS[kind]; i++) {
        const { verdict } = KINDS[kind], { seen } = await click(places[kind](i), verdict !== undefined);
        if (seen?.verdict !== verdict) console.error(kind, JSON.stringify(seen));
      }
      sum.main += firstThreadMs(program.pid);
      sum.all += processorMs(program.pid);
    }
  }
  const rows = kinds.map((kind): Row => {
    const [main, all] = [spent.get(kind)!.main, spent.get(kind)!.all].map((ms) =>
      (ms / ROUNDS / CLICKS[kind]).toFixed(1)
    );
    const { what, aim } = KINDS[kind];
    const ours = `${all} ms`, theirs = `${main} ms`;
    return { what: `processor time of ${what}`, ours, against: "the thread that serves", theirs, aim };
  });
  return [...rows, await besideObservers(url, (i) => click(buttons[i % buttons.length]))];
}

/** Measures a position's time, alone and beside observers that click without pause. */
async function besideObservers(url: string, click: (i: number) => Promise<unknown>): Promise<Row> {
  const positions = async () => {
    const times: number[] = [];
    while (times.length < POSITIONS) {
      const asked = performance.now();
      await (await fetch(`${url}/api/position`)).text();
      times.push(performance.now() - asked);
    }
    return [0.5, 0.99].map((share) => percentile(times, share).toFixed(1));
  };
  const [median, p99] = await positions();
  let ends = false;
  const observers = Array.from({ length: OBSERVERS }, async (_, i) => {
    while (!ends) await click(i);
  });
  const [besideMedian, besideP99] = await positions();
  ends = true;
  await Promise.all(observers);
  return {
    what: `position beside ${OBSERVERS} observers that click, median and 99 %`,
    ours: `${besideMedian}, ${besideP99} ms`,
    against: "alone",
    theirs: `${median}, ${p99} ms`,
    aim: "99 %: 5 ms",
  };
}
