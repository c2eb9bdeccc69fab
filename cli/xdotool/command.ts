/** Rows of the table of commands. */

import type { Context } from "./context.ts";
import type { OptionTable } from "./getopt.ts";
import type { Later } from "./target.ts";

/** Options that were given: names with their values; flags have an empty one. */
export type Options = ReadonlyMap<string, string>;

/** A command. */
export interface Command {
  name: string;
  /** The command's options; a command without them takes the words behind it as commands. */
  options?: OptionTable;
  /** Names that letters stand for. A letter of the table without one is refused. */
  letters?: Readonly<Record<string, string>>;
  /** Options that this command refuses, though its table has them. */
  refused?: readonly string[];
  /**
   * Tells that the command sends input and asks nothing, unless it has options beside {@linkcode OPTIONS_OF_INPUT}: such
   * input may go together with that before it.
   */
  isInput?: boolean;
  /**
   * Looks at an option as soon as it is read.
   * @returns A code that ends the command at once.
   */
  given?(context: Context, option: string, value: string, usage: string): number | undefined;
  /** Prints what stands before the usage where an option is wrong. */
  wrong?(context: Context): void;
  /**
   * Runs the command. The words of the context are those behind the options.
   * @param usage Its help, for messages.
   * @param name As it was written.
   * @returns The code: 0 goes on with the chain.
   */
  run(context: Context, options: Options, usage: string, name: string): Later<number>;
}

/** Options with which a command asks nothing of the desktop. */
export const OPTIONS_OF_INPUT: readonly string[] = ["delay", "repeat", "repeat-delay"];

/** Windows that a word names, or undefined with the usage printed. */
export function namedWindows(
  context: Context,
  needed: number,
  usage: string,
): (() => readonly number[]) | undefined {
  const word = context.windowWord(needed);
  if (word !== undefined) return () => context.windowsOf(word);
  context.print.err(usage);
  return undefined;
}

/** The options of a command that has `--help` alone. */
export const HELP_ALONE = { options: { letters: "h", names: ["help"] }, letters: { h: "help" } } as const;
