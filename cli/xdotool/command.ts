/** Rows of the table of commands. */

import type { Context } from "./context.ts";
import type { OptionTable } from "./getopt.ts";
import type { Later } from "./target.ts";

/** Given options: names with their values; a flag's value is empty. */
export type Options = ReadonlyMap<string, string>;

/** A command. */
export interface Command {
  name: string;
  /** The command's options; a command without options takes the words after it as commands. */
  options?: OptionTable;
  /** Names that letters stand for. A letter of the table without one is refused. */
  letters?: Readonly<Record<string, string>>;
  /** Options that this command refuses, though its table has them. */
  refused?: readonly string[];
  /**
   * Tells that the command sends input and asks nothing, unless it has options other than {@linkcode OPTIONS_OF_INPUT}:
   * such a command may be sent together with the input before it.
   */
  isInput?: boolean;
  /**
   * Looks at an option as soon as it is read.
   * @returns A code that ends the command at once.
   */
  given?(context: Context, option: string, value: string, usage: string): number | undefined;
  /** Prints the text before the usage if an option is wrong. */
  wrong?(context: Context): void;
  /**
   * Runs the command. The context's words are those after the options.
   * @param usage The command's help, for messages.
   * @param name The command's name as it was typed.
   * @returns The exit code; after 0 the chain continues.
   */
  run(context: Context, options: Options, usage: string, name: string): Later<number>;
}

/** Options that keep a command pure input, without a question to the desktop. */
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
