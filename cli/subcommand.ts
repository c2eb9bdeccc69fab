/**
 * The definition of a subcommand, such as `deskhand doctor`, and the options that belong to it: help,
 * completions and the manual page list them with their subcommands.
 */

import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import type { Option } from "./option.ts";
import { type OptionName, OPTIONS, type Settings } from "./option_table.ts";

/** A row of the table. */
export interface Subcommand {
  name: string;
  /** One line for help. */
  summary: string;
  /**
   * The subcommand's argument: its name in help, and the allowed words, or a file path. If omitted, the
   * subcommand takes no argument.
   */
  argument?: { name: string; choices: readonly string[] } | {
    name: string;
    path: "file";
    /** Whether the argument is optional. */
    isOptional?: true;
  } | {
    name: string;
    /** Words that the shell may complete. */
    choices: readonly string[];
    /** Whether any number of words may follow, including others than those, which are passed to `run`. */
    isList: true;
  };
  /**
   * Whether the subcommand must be the first word, because no deskhand options follow it; main.ts runs it.
   */
  isFirst?: boolean;
  /** The subcommand's options; defaults to none. */
  options?: readonly OptionName[];
  /**
   * Set if the subcommand starts servers like a start without it: it then supports all options of such a
   * start except these. Its help only lists {@linkcode options}.
   */
  ignoredOfStart?: readonly OptionName[];
  /** Help lines for options whose meaning differs from that in a start without a subcommand. */
  meanings?: Partial<Readonly<Record<OptionName, string>>>;
  /**
   * Runs the subcommand.
   * @param argument The word after the subcommand's name: an allowed word or a path; empty if the subcommand
   * takes none, or a list.
   * @param words All words after the subcommand's name.
   */
  run(output: Output, argument: string, start: Start, words: readonly string[]): Promise<number>;
}

/** Parts of the program that a subcommand uses. */
export interface Start {
  settings: Settings;
  lifetime: Lifetime;
}

/** The shells that `deskhand completions` supports. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/**
 * Formats a subcommand for help, such as `completions SHELL`.
 * @param options Stands for its options, where they may be: words after `--`, and an {@linkcode Subcommand.isFirst}
 * subcommand's, are not deskhand's own.
 */
export function subcommandUsage({ name, argument, isFirst }: Subcommand, options?: string): string {
  const words = isFirst ? [options, name] : [name, options];
  return [...words, argument?.name].filter((word) => word !== undefined).join(" ");
}

/**
 * Whether an option only has an effect with a subcommand: it depends on subcommands and not on other options.
 */
function isOfSubcommands({ needs }: Option): boolean {
  return needs !== undefined && !needs.some((needed) => OPTIONS.some(({ name }) => name === needed));
}

/** The options of a start without a subcommand. */
export const MAIN_OPTIONS: readonly Option[] = OPTIONS.filter((row) => !isOfSubcommands(row));

/** A subcommand's options, with their meanings there. */
export function optionsOf(subcommand: Subcommand): Option[] {
  const taken: readonly string[] = subcommand.options ?? [];
  const meanings: Readonly<Record<string, string>> = subcommand.meanings ?? {};
  return OPTIONS.filter(({ name }) => taken.includes(name)).map((row) => ({
    ...row,
    summary: meanings[row.name] ?? row.summary,
  }));
}

/** A subcommand's options that have no effect without it. */
export function ownOptions(subcommand: Subcommand): Option[] {
  return optionsOf(subcommand).filter(isOfSubcommands);
}
