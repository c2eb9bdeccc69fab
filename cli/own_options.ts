/** Options of subcommands alone: help, completions and the manual page show them with their subcommands. */

import { type Option, OPTIONS } from "./option_table.ts";
import type { Subcommand } from "./subcommand.ts";

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
