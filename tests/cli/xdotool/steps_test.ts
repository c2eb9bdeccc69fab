/** Input that goes together to a running deskhand: the same order, messages and codes as input that goes one by one. */

import { assert, assertEquals } from "@std/assert";
import { RefusedError, type Step, type StepCalls } from "../../../cli/xdotool/calls_http.ts";
import { VERSION, WITHOUT_LATER } from "../../../cli/xdotool/output.ts";
import { runXdotool } from "../../../cli/xdotool/start.ts";
import { Steps } from "../../../cli/xdotool/steps.ts";
import type { Target } from "../../../cli/xdotool/target.ts";
import { ExpectedError } from "../../../core/errors.ts";
import { temporary, until } from "../../support/shell.ts";
import { Stage, start, type Which, wordsOf, XDOTOOL } from "./stage.ts";

/** A deskhand that notes each step, and refuses moves to places off a screen of 1000 x 1000. */
class Noting implements StepCalls {
  readonly done: string[] = [];
  /** The number of steps in each request. */
  readonly together: number[] = [];

  /** @param failsAt The place to the right at which the connection ends, with the step done. */
  constructor(readonly failsAt = NaN) {}

  steps(steps: readonly Step[]) {
    this.together.push(steps.length);
    for (const [done, { action, fields }] of steps.entries()) {
      const { x = 0, button } = fields as { x?: number; button?: string };
      if (x >= 2000) return Promise.resolve({ error: new RefusedError("no such place", 409, done), done });
      if (x >= 1000) return Promise.resolve({ error: new RefusedError("off the screen", 400, done), done });
      this.done.push(`${action} ${button ?? x}`);
      if (x === this.failsAt) return Promise.reject(new ExpectedError("does not answer"));
    }
    return Promise.resolve(undefined);
  }
}

/** A refused place, and the place that the pointer goes to instead. */
const NEARER = { from: 1400, to: 999 };

/**
 * Runs a script on a desktop whose pointer is moved and pressed by steps, and whose own library does the input that
 * deskhand refuses.
 */
async function ran(script: string, calls = new Noting()) {
  const steps = new Steps(calls), printed: string[] = [];
  const target = {
    version: VERSION,
    ...WITHOUT_LATER,
    steps,
    async move(x: number) {
      await steps.add({ action: "move", fields: { x } }, () => {
        if (x === NEARER.from) return { action: "move", fields: { x: NEARER.to } };
        calls.done.push(`own ${x}`);
      });
      return 0;
    },
    async button(_: number, button: number, isDown: boolean) {
      await steps.add({ action: isDown ? "press" : "release", fields: { button } });
      return 0;
    },
    async location() {
      await steps.settle();
      return { x: 1, y: 1, screen: 0 };
    },
    pointer() {
      calls.done.push("asked");
      return { x: 1, y: 1, screen: 0, window: 2 };
    },
    close() {},
  } as unknown as Target;
  const code = await temporary(async (folder) => {
    await Deno.writeTextFile(`${folder}/script`, script.replaceAll("; ", "\n") + "\n");
    return await runXdotool([`${folder}/script`], {
      program: "xdotool",
      print: {
        out: (text) => printed.push(`out ${text}`),
        err: (text) => printed.push(`err ${text.toString().split("\n")[0]}`),
      },
      open: () => Promise.resolve(target),
    });
  });
  return { code, printed, done: calls.done, together: calls.together };
}

const PLACE = "out x:1 y:1 screen:0 window:2", REFUSED = "err xdotool: mousemove: no such place";
const USAGE = "err Usage: mousemove [options] <x> <y>";

/** Scripts, each with its exit code, its output, the input in order, and the number of steps in each request. */
const SCRIPTS: readonly [
  script: string,
  code: number,
  printed: string[],
  done: string,
  together: string,
][] = [
  ["mousemove 1 1; mousemove 2 1; mousedown 1 mouseup 1", 0, [], "move 1, move 2, press 1, release 1", "1+3"],
  [
    "mousedown 1; mouseup 1; getmouselocation; mousedown 2",
    0,
    [PLACE],
    "press 1, release 1, asked, press 2",
    "2+1",
  ],
  // The last move of the lines at hand is one before which a later line may ask for the place.
  [
    "mousemove 1 1; mousemove 2 1; mousemove 3 1; mousedown 1",
    0,
    [],
    "move 1, move 2, move 3, press 1",
    "2+2",
  ],
  // Other lines go on behind one that fails; the rest of its own chain does not.
  ["mousemove 2000 1 mousedown 1; mousedown 2; mousemove 3 1", 0, [REFUSED], "press 2, move 3", "3+1+1"],
  [
    "mousedown 2; mousemove 2000 1; mousemove 3 1; mousedown 1",
    0,
    [REFUSED],
    "press 2, move 3, press 1",
    "2+2",
  ],
  ["mousedown 2; mousemove 2000 1 mousedown 1", 1, [REFUSED], "press 2", "1+2"],
  ["mousemove 2000 1 getmouselocation; mousemove 1 1", 0, [REFUSED], "move 1", "1+1"],
  ["mousemove 1 1; mousemove 2000 1 mousemove 2; mousedown 1", 0, [REFUSED], "move 1, press 1", "1+1+1"],
  // The library does the input that deskhand refuses as wrong, in its place among the others.
  [
    "mousemove 1 1; mousemove 1500 1; mousedown 1 mousemove 2 1",
    0,
    [],
    "move 1, own 1500, press 1, move 2",
    "3+1+1",
  ],
  // Or another step is sent in its place.
  [
    "mousemove 1 1; mousemove 1400 1; mousedown 1 mousemove 2 1",
    0,
    [],
    "move 1, move 999, press 1, move 2",
    "3+2+1",
  ],
  ["mousemove 1400 1", 0, [], "move 999", "1+1"],
  // Messages come in the order of the commands.
  ["mousemove 2000 1; mousemove 2; mousedown 1", 0, [REFUSED, USAGE], "press 1", "1+1"],
  [
    "mousedown 1; nonesuch; mousedown 2",
    0,
    ["err xdotool: Unknown command: nonesuch"],
    "press 1, press 2",
    "1+1",
  ],
  ["mousedown 1; mousedown $1", 1, ["err xdotool: error: "], "press 1", "1"],
];

for (const [script, code, printed, done, together] of SCRIPTS) {
  Deno.test(`input that goes together: ${script}`, async () => {
    const ended = await ran(script), shown = ended.printed.map((line) => line.replace(/(error: )`.*/, "$1"));
    assertEquals([ended.code, shown, ended.done.join(", ")], [code, printed, done]);
    assertEquals(ended.together.join("+"), together);
  });
}

Deno.test("steps without an answer are sent once, and each line tells that it failed", async () => {
  const lines = ["mousedown 1", "mousemove 5 1 mousedown 2", "mousedown 3", "getmouselocation"];
  const { code, printed, done } = await ran(lines.join("\n"), new Noting(5));
  // The place before the move is asked for, which sends what is before it.
  assertEquals(done, ["press 1", "move 5", "asked"]);
  assertEquals(printed, [
    "err xdotool: mousemove: does not answer",
    "err xdotool: mousedown: does not answer",
    PLACE,
  ]);
  assertEquals(code, 0);
});

Deno.test("a failure is told once the next steps are ready, and ends its own chain alone", async () => {
  const lines = [
    "mousemove 2000 1 mousedown 3",
    ...Array(150).fill("mousedown 1"),
    "mousemove 3 1 mouseup 1",
  ];
  const { code, printed, done } = await ran(lines.join("\n"));
  assertEquals([code, printed], [0, [REFUSED]]);
  assertEquals(done, [...Array(150).fill("press 1"), "move 3", "release 1"]);
});

Deno.test("a list of steps has a bound", async () => {
  const { done, together } = await ran(Array(250).fill("mousedown 1").join("\n"));
  assertEquals([done.length, together], [250, [100, 100, 50]]);
});

// Chains of xdotool that wait go on when it happens: the same by both.

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
