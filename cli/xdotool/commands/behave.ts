/** Commands that run a chain of commands at each event. */

import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { intOf } from "../numbers.ts";
import { type Edge, EDGES, type WindowEvent } from "../target.ts";

const EVENTS: readonly string[] = [
  "mouse-enter",
  "mouse-leave",
  "mouse-click",
  "focus",
  "blur",
] satisfies WindowEvent[];

/** The time after a hit of an edge during which further hits have no effect, in milliseconds. */
const QUIESCE_MS = 2000;

/** Runs the words that are left, with some windows as the stack. */
async function runWords(context: Context, windows: readonly number[]): Promise<void> {
  if (await context.run(context.copy(windows))) context.print.out("Command failed.");
}

/** Every command of this file. */
export const BEHAVIOURS: readonly Command[] = [
  {
    name: "behave",
    options: { letters: "h", names: ["help"] },
    letters: { h: "help" },
    async run(context, _, usage) {
      const { words: [word, event, ...rest], print, target } = context;
      if (!rest.length) {
        print.err(`Invalid number of arguments (minimum is 3)\n${usage}`);
        return 1;
      }
      context.consume(2);
      if (!EVENTS.includes(event)) {
        print.err(`Unknown event '${event}'`);
        return 1;
      }
      const windows = [...context.windowsOf(word)];
      return await target.watch(windows, event as WindowEvent, (window) => runWords(context, [window]));
    },
  },
  {
    name: "behave_screen_edge",
    options: { letters: "hdq", names: ["help", "delay:", "quiesce:"] },
    letters: { h: "help" },
    async run(context, options, usage) {
      const { words: [edge, ...rest], print, target } = context;
      if (!rest.length) {
        print.err(`Invalid number of arguments (minimum is 2)\n${usage}`);
        return 1;
      }
      context.consume(1);
      if (!(EDGES as readonly string[]).includes(edge)) {
        print.err(`Invalid edge or corner, '${edge}'\n${usage}`);
        return 1;
      }
      const delay = intOf(options.get("delay") ?? "");
      const quiesce = options.has("quiesce") ? intOf(options.get("quiesce")!) : QUIESCE_MS;
      return await target.watchEdge(edge as Edge, delay, quiesce, () => runWords(context, context.windows));
    },
  },
];
