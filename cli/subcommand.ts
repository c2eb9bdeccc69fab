/** The shape of a subcommand, such as `deskhand doctor`. */

import type { Lifetime } from "../core/lifetime.ts";
import type { Output } from "../core/output.ts";
import type { OptionName, Settings } from "./option_table.ts";

/** A row of the table. */
export interface Subcommand {
  name: string;
  /** One line for help. */
  summary: string;
  /**
   * The word that the subcommand takes, as help names it, and the words allowed, or a file's path; it takes none if
   * left out.
   */
  argument?: { name: string; choices: readonly string[] } | {
    name: string;
    path: "file";
    /** Tells that the argument may be left out. */
    isOptional?: true;
  };
  /**
   * Tells that the subcommand stands first, since the words behind it are no options of deskhand's; main.ts runs it.
   */
  isFirst?: boolean;
  /** The options that the subcommand takes; none if left out. */
  options?: readonly OptionName[];
  /**
   * Runs the subcommand.
   * @param argument The word behind its name, one of those allowed or a path; empty if it takes none.
   * @returns The exit code.
   */
  run(output: Output, argument: string, start: Start): Promise<number>;
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
