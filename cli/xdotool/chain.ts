/** Runs chains of commands. */

import type { Command } from "./command.ts";
import { commandOf } from "./commands.ts";
import { Context } from "./context.ts";
import { OptionReader } from "./getopt.ts";
import type { Printer } from "./output.ts";
import { ExpectedError } from "../../core/errors.ts";
import type { Target } from "./target.ts";
import { usageOf } from "./usage.ts";

/** Makes the state of a chain. */
export function startChain(program: string, target: Target, print: Printer, words: string[]): Context {
  const isCommand = (word: string) => commandOf(word, target) !== undefined;
  return new Context(program, target, print, isCommand, runChain, words);
}

/**
 * Runs the commands that the context's words are, until one fails.
 * @returns The code of the last one.
 */
export async function runChain(context: Context): Promise<number> {
  while (context.words.length) {
    const [name] = context.words, command = commandOf(name, context.target);
    if (!command) {
      context.print.err(
        `${context.program}: Unknown command: ${name}\n` +
          `Run '${context.program} help' if you want a command list`,
      );
      return 1;
    }
    const code = await runCommand(command, context, name);
    if (code) return code;
  }
  return 0;
}

async function runCommand(command: Command, context: Context, name: string): Promise<number> {
  const usage = usageOf(command.name, name), options = new Map<string, string>();
  if (command.options) {
    const reader = new OptionReader(context.words, command.options);
    for (let given = reader.next(); given !== undefined; given = reader.next()) {
      const option = typeof given === "string" ? undefined : optionOf(command, given.option);
      if (option === undefined) {
        if (typeof given === "string") context.print.err(`${name}: ${given}`);
        command.wrong?.(context);
        context.print.err(usage);
        return 1;
      }
      if (option === "help") {
        context.print.out(usage);
        context.consume(context.words.length);
        return 0;
      }
      const { value } = given as Exclude<typeof given, string>;
      const code = command.given?.(context, option, value, usage);
      if (code !== undefined) return code;
      options.delete(option); // the last one given stands last
      options.set(option, value);
    }
    context.consume(reader.taken);
  } else context.consume(1);
  try {
    return await command.run(context, options, usage, name);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    context.print.err(`${context.program}: ${name}: ${error.message}`);
    return 1;
  }
}

/** The name of an option, also where its letter is given. */
function optionOf({ letters, refused }: Command, option: string): string | undefined {
  if (refused?.includes(option)) return undefined;
  return option.length > 1 ? option : letters?.[option];
}
