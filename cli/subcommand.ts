/**
 * The shape of a subcommand, such as `deskhand doctor`, and the options that belong to it: help, completions and the
 * manual page show them with their subcommands.
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
   * The argument of the subcommand: its name in help, and the allowed words, or a file's path. If left out, the
   * subcommand takes no argument.
   */
  argument?: { name: string; choices: readonly string[] } | {
    name: string;
    path: "file";
    /** Whether the argument may be left out. */
    isOptional?: true;
  } | {
    name: string;
    /** Words that the shell may complete. */
    choices: readonly string[];
    /** Any number of words, and others than those, which `run` gets. */
    isList: true;
  };
  /**
   * Whether the subcommand must be the first word, since the words after it are no options of deskhand's; main.ts
   * runs it.
   */
  isFirst?: boolean;
  /** The options that the subcommand takes; none if left out. */
  options?: readonly OptionName[];
  /**
   * Whether the subcommand starts servers as a start without it does, and so obeys all options of such a start but
   * these. Its help has {@linkcode options} alone.
   */
  ignoredOfStart?: readonly OptionName[];
  /** Lines of the subcommand's help for options that mean something else in a start without a subcommand. */
  meanings?: Partial<Readonly<Record<OptionName, string>>>;
  /**
   * Runs the subcommand.
   * @param argument The word after the subcommand's name: an allowed word or a path; empty if the subcommand takes
   * none, or a list.
   * @param words All words after the subcommand's name.
   * @returns The exit code.
   */
  run(output: Output, argument: string, start: Start, words: readonly string[]): Promise<number>;
}

/** Parts of the program that a subcommand uses. */
export interface Start {
  settings: Settings;
  lifetime: Lifetime;
}

/** The shells that `deskhand completions` knows. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** Writes a subcommand for help, such as `completions SHELL`. */
export function subcommandUsage({ name, argument }: Subcommand): string {
  return argument ? `${name} ${argument.name}` : name;
}

/** An option that does nothing without a subcommand: its row needs no other option, and nothing else. */
function isOfSubcommands({ needs }: Option): boolean {
  return needs !== undefined && !needs.some((needed) => OPTIONS.some(({ name }) => name === needed));
}

/** The options of a start without a subcommand. */
export const MAIN_OPTIONS: readonly Option[] = OPTIONS.filter((row) => !isOfSubcommands(row));

/** All options that a subcommand takes, with what they mean there. */
export function optionsOf(subcommand: Subcommand): Option[] {
  const taken: readonly string[] = subcommand.options ?? [];
  const meanings: Readonly<Record<string, string>> = subcommand.meanings ?? {};
  return OPTIONS.filter(({ name }) => taken.includes(name)).map((row) => ({
    ...row,
    summary: meanings[row.name] ?? row.summary,
  }));
}

/** The options that no start without a subcommand takes. */
export function ownOptions(subcommand: Subcommand): Option[] {
  return optionsOf(subcommand).filter(isOfSubcommands);
}
