/** Chains of xdotool that wait go on when it happens: the same by both. */

import { assert, assertEquals } from "@std/assert";
import { until } from "../../support/until.ts";
import { Stage, start, type Which, wordsOf, XDOTOOL } from "./stage.ts";

/** Chains that wait: the lines of xdotool that cause an event, and the lines that are printed then. */
const WAITING: readonly [line: string, ...happens: string[]][] = [
  ["behave {editor} mouse-enter getwindowgeometry", "mousemove 10 10", "mousemove 300 250"],
  ["behave {editor} mouse-leave getwindowname", "mousemove 300 250", "mousemove 10 10"],
  ["behave {still} mouse-click getwindowname %1", "mousemove 60 500", "click 1"],
  ["behave {editor} blur exec --sync echo blurred", "windowactivate {editor}", "windowactivate {terminal}"],
  ["behave {editor} focus exec --sync echo focused", "windowactivate {terminal}", "windowactivate {editor}"],
  ["behave_screen_edge left exec --sync echo edge", "mousemove 10 10", "mousemove 0 300"],
  ["behave_screen_edge bottom-right getdisplaygeometry", "mousemove 10 10", "mousemove 1279 719"],
  ["behave_screen_edge --quiesce 10 right getdisplaygeometry", "mousemove 10 10", "mousemove 1279 300"],
  ["behave_screen_edge --delay 50 top exec --sync echo top", "mousemove 210 0", "mousemove 200 0"],
  ["selectwindow", "mousemove 300 250", "click 1"],
  ["search --sync --name ^Later$ getwindowname", "mousemove 10 10", "set_window --name Later {terminal}"],
];

/** Times of rest at an edge, in milliseconds, and how often the pointer's arrivals there are printed. */
const RESTS: readonly [quiesce: number, isEachPrinted: boolean][] = [[0, true], [100_000, false]];
/** The moves of an arrival. */
const ARRIVAL = ["mousemove 10 10", "mousemove 1279 300"];

/** A chain that waits, and its whole lines so far. */
async function waiting(stage: Stage, which: Which, line: string) {
  const child = start(which, wordsOf(line, stage.windows), stage.server.env);
  await child.stdin.close();
  const state = { printed: "", isOver: false };
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) state.printed += text;
    state.isOver = true;
  })();
  const drained = child.stderr.cancel();
  return {
    state,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGTERM");
      } catch {
        // The chain has ended.
      }
      await Promise.all([child.status, reading, drained]);
    },
  };
}

/** The number of arrivals at an edge that are printed, of those that come after the first printed one. */
async function printedAtEdge(stage: Stage, which: Which, [quiesce, isEachPrinted]: typeof RESTS[number]) {
  await stage.reset();
  const line = `behave_screen_edge --quiesce ${quiesce} right exec --sync echo right`;
  await using chain = await waiting(stage, which, line);
  const arrive = async () => {
    for (const move of ARRIVAL) await stage.run("xdotool", move);
  };
  const count = () => chain.state.printed.split("right\n").length - 1;
  // On a busy machine the chain may look only after the pointer has come back: the pointer arrives again then.
  const printedAgain = async (before = count()) => {
    await until(async () => {
      await arrive();
      return count() > before;
    });
  };
  await printedAgain();
  for (let time = 0; time < 3; time++) await (isEachPrinted ? printedAgain() : arrive());
  return isEachPrinted ? 3 : count();
}

/** The first output of a waiting chain. */
async function firstPrinted(stage: Stage, which: Which, [line, ...happens]: typeof WAITING[number]) {
  await stage.reset();
  await stage.server.run("xdotool", "set_window", "--name", "Terminal", stage.windows.terminal);
  await using chain = await waiting(stage, which, line);
  // Nothing is printed when the wait begins: the event is caused again until the chain prints something.
  await until(async () => {
    for (const happening of happens) await stage.run("xdotool", happening);
    return firstLine(chain.state.printed) || chain.state.isOver;
  });
  return firstLine(chain.state.printed);
}

/** The first whole line; a line that a wait at an edge prints about its rest does not count. */
function firstLine(printed: string): string | undefined {
  return printed.split("\n").slice(0, -1).find((text) => text && text !== "Timeout");
}

Deno.test({
  ...XDOTOOL,
  name: "chains that wait for something go on when it happens",
  async fn(t) {
    await using stage = await Stage.start();
    // A window whose program takes no buttons: the release of a button is told to nothing but the program that does.
    await using still = stage.server.spawn(
      "xev",
      "-event",
      "property",
      "-name",
      "Still",
      "-geometry",
      "100x80+20+450",
    );
    stage.windows.still = await stage.server.window("--name", "^Still$");
    for (const row of WAITING) {
      await t.step(row[0], async () => {
        const wanted = await firstPrinted(stage, "xdotool", row);
        assert(wanted, "xdotool itself prints something");
        assertEquals(await firstPrinted(stage, "deskhand", row), wanted);
      });
    }
    for (const row of RESTS) {
      await t.step(`behave_screen_edge --quiesce ${row[0]}`, async () => {
        const wanted = await printedAtEdge(stage, "xdotool", row);
        assertEquals(wanted, row[1] ? 3 : 1);
        assertEquals(await printedAtEdge(stage, "deskhand", row), wanted);
      });
    }
    assertEquals(still.printed.includes("ButtonPress"), false);
  },
});
