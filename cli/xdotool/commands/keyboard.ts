/** Keyboard commands. */

import type { Command, Context } from "../context.ts";
import { intOf, microsecondsOf } from "../output.ts";
import { readText } from "../script.ts";
import type { KeyWay } from "../desktop_target.ts";
import { withoutModifiers } from "./mouse.ts";

/** Delay between keys, in microseconds. */
const KEY_DELAY = 12_000;

/** The words up to the next command: the keys. */
function keysOf({ words, isCommand }: Context): readonly string[] {
  const end = words.findIndex(isCommand);
  return end < 0 ? words : words.slice(0, end);
}

const pause = (microseconds: number) => new Promise((resolve) => setTimeout(resolve, microseconds / 1000));

function keyCommand(way: KeyWay): Command {
  return {
    name: way,
    options: {
      letters: "d:hcw:",
      names: ["clearmodifiers", "delay:", "repeat-delay:", "help", "window:", "repeat:"],
    },
    letters: { d: "delay", h: "help", c: "clearmodifiers", w: "window" },
    given({ print }, option, value) {
      if (option !== "repeat" || intOf(value) > 0) return undefined;
      print.err(`Invalid '--repeat' value given: ${value}`);
      return 1;
    },
    async run(context, options, usage, name) {
      const { print, target } = context;
      if (!context.words.length) {
        print.err(`You specified the wrong number of args.\n${usage}`);
        return 1;
      }
      if (name !== way) {
        print.err(`Unknown command '${name}'`);
        return 1;
      }
      const window = options.get("window") ?? (context.windows.length ? "%1" : undefined);
      const delay = options.has("delay") ? microsecondsOf(options.get("delay")!) : KEY_DELAY;
      const times = options.has("repeat") ? intOf(options.get("repeat")!) : 1;
      const between = microsecondsOf(options.get("repeat-delay") ?? "");
      const keys = keysOf(context), windows = context.windowsOf(window);
      const isEnd = context.isWhole && keys.length === context.words.length && !options.has("clearmodifiers");
      let code = 0;
      for (const each of windows) {
        await withoutModifiers(context, options.has("clearmodifiers"), async () => {
          for (let time = 1; time <= times; time++) {
            for (const [index, combination] of keys.entries()) {
              const isLast = isEnd && each === windows.at(-1) && time === times && index === keys.length - 1;
              const failures = await target.keys(way, each, combination, delay, isLast);
              if (failures) {
                print.err(
                  `xdo_send_keysequence_window reported an error for string '${combination}'`,
                );
              }
              code += failures;
            }
            if (between && time < times) await pause(between);
          }
        });
      }
      context.consume(windows.length ? keys.length : context.words.length);
      return code;
    },
  };
}

const typeCommand: Command = {
  name: "type",
  options: {
    letters: "w:d:ch",
    names: ["clearmodifiers", "delay:", "help", "window:", "args:", "terminator:", "file:"],
  },
  async run(context, options, usage) {
    const { print, target } = context, file = options.get("file");
    if (!context.words.length && file === undefined) {
      print.err(`You specified the wrong number of args.\n${usage}`);
      return 1;
    }
    const taken = wordsOfOwn(context, options.get("args"), options.get("terminator"));
    if (typeof taken === "number") return taken;
    const texts = [...taken.words];
    if (file !== undefined) {
      try {
        texts.unshift(readText(file));
      } catch (error) {
        print.err(`Failure opening '${file}': ${(error as Error).message}`);
        return 1;
      }
    }
    const delay = options.has("delay") ? microsecondsOf(options.get("delay")!) : KEY_DELAY;
    for (const window of context.windowsOf(options.get("window"))) {
      await withoutModifiers(context, options.has("clearmodifiers"), async () => {
        for (const text of texts) await target.type(window, text, delay);
      });
    }
    context.consume(taken.count);
    return 0;
  },
};

/**
 * The words that a command uses itself: as many as `--args` says, those up to `--terminator`, or all.
 * @returns An exit code if the options contradict each other.
 */
export function wordsOfOwn(
  { words, print }: Context,
  args: string | undefined,
  terminator: string | undefined,
): { words: readonly string[]; count: number } | number {
  const arity = args === undefined ? -1 : intOf(args);
  if (arity > 0 && terminator !== undefined) {
    print.err("Don't use both --terminator and --args.");
    return 1;
  }
  if (words.length < arity) {
    print.err(`You said '--args ${arity}' but only gave ${words.length} arguments.`);
    return 1;
  }
  if (arity > 0) return { words: words.slice(0, arity), count: arity };
  const end = terminator === undefined ? -1 : words.indexOf(terminator);
  return end < 0 ? { words, count: words.length } : { words: words.slice(0, end), count: end + 1 };
}

/** The commands in this file. */
export const KEYBOARD: readonly Command[] = [
  keyCommand("key"),
  keyCommand("keydown"),
  keyCommand("keyup"),
  typeCommand,
];
