/** Input that goes together to a running deskhand: the same order, messages and codes as input that goes one by one. */

import { assertEquals } from "@std/assert";
import { ExpectedError } from "../../../core/errors.ts";
import { RefusedError, type Step, type StepCalls } from "../../../cli/xdotool/calls_http.ts";
import { Steps } from "../../../cli/xdotool/steps.ts";
import { runXdotool } from "../../../cli/xdotool/start.ts";
import type { Target } from "../../../cli/xdotool/target.ts";
import { VERSION, WITHOUT_LATER } from "../../../cli/xdotool/output.ts";
import { temporary } from "../../support/temporary.ts";

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
