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
  ["behave_screen_edge --delay 50 top exec --sync echo top", "mousemove 210 0", "mousemove 200 0"],
  ["selectwindow", "mousemove 300 250", "click 1"],
  ["search --sync --name ^Later$ getwindowname", "mousemove 10 10", "set_window --name Later {terminal}"],
];

/** The first output of a waiting chain. */
async function firstPrinted(stage: Stage, which: Which, [line, ...happens]: typeof WAITING[number]) {
  await stage.reset();
  await stage.server.run("xdotool", "set_window", "--name", "Terminal", stage.windows.terminal);
  const child = start(which, wordsOf(line, stage.windows), stage.server.env);
  await child.stdin.close();
  let printed = "", isOver = false;
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) printed += text;
    isOver = true;
  })();
  const drained = child.stderr.cancel();
  // It tells nothing of having begun: what it waits for happens again until it says so.
  await until(async () => {
    for (const happening of happens) await stage.run("xdotool", happening);
    return firstLine(printed) || isOver;
  });
  try {
    child.kill("SIGTERM");
  } catch {
    // It has ended.
  }
  await Promise.all([child.status, reading, drained]);
  return firstLine(printed);
}

/** The first whole line; what a wait at an edge says of its rest is none. */
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
    assertEquals(still.printed.includes("ButtonPress"), false);
  },
});
