/** Commands that are about no window: version, exec and sleep. */

import { type Command, HELP_ALONE } from "../command.ts";
import { floatOf } from "../numbers.ts";
import { fileError } from "../read_text.ts";
import { wordsOfOwn } from "./keyboard.ts";

/** Numbers of errors (errno(3)) that the start of a program ends with. */
const ENOENT = 2, EACCES = 13;

/** Starts a program. @returns The program's exit code once it ends; 0 at once if the command does not wait. */
async function execute([program, ...args]: readonly string[], isSync: boolean): Promise<number | Error> {
  try {
    const child = new Deno.Command(program, {
      args,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
    if (!isSync) {
      child.unref();
      return 0;
    }
    const { code, signal } = await child.status;
    return signal === null ? code : 0; // like xdotool, 0 after a signal, which leaves no exit code
  } catch (error) {
    return error as Error;
  }
}

/** Every command of this file. */
export const OTHERS: readonly Command[] = [
  {
    name: "version",
    run({ print, target }) {
      print.out(`xdotool version ${target.version}`);
      return 0;
    },
  },
  {
    name: "exec",
    options: { letters: "h", names: ["help", "sync", "args:", "terminator:"] },
    letters: { h: "help" },
    async run(context, options, usage) {
      const { print } = context;
      if (!context.words.length) {
        print.err(`No arguments given.\n${usage}`);
        return 1;
      }
      const taken = wordsOfOwn(context, options.get("args"), options.get("terminator"));
      if (typeof taken === "number") return taken;
      const isSync = options.has("sync"), code = await execute(taken.words, isSync);
      context.consume(taken.count);
      if (typeof code === "number") return code;
      print.err(`execvp failed: ${fileError(code)}`);
      return isSync ? code instanceof Deno.errors.PermissionDenied ? EACCES : ENOENT : 0;
    },
  },
  {
    name: "sleep",
    ...HELP_ALONE,
    async run(context, _, usage) {
      const [seconds] = context.words;
      if (seconds === undefined) {
        context.print.err(`No arguments given.\n${usage}`);
        return 1;
      }
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, floatOf(seconds) * 1000)));
      context.consume(1);
      return 0;
    },
  },
];
