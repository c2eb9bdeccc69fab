/** The text that `--help` prints. */

import { type Option, OPTION_GROUPS, OPTIONS, valueUsage } from "./option_table.ts";
import { type Subcommand, subcommandUsage } from "./subcommand.ts";

/** The form of a call of deskhand. */
export const USAGE = "deskhand [--http [PORT]] [--files [FOLDER]] [options]";

/** Meanings of the exit codes. */
export const EXIT_CODES = [
  [0, "fine"],
  [1, "a command failed"],
  [2, "wrong use"],
  [3, "no desktop to control"],
] as const;

/** Help: a line for each subcommand and each option, options in groups. */
export function helpText(subcommands: readonly Subcommand[]): string {
  const width = Math.max(...OPTIONS.map((row) => spelt(row).length)) + 2;
  const groups = Object.entries(OPTION_GROUPS).flatMap(([name, heading]) => [
    `${heading}:`,
    ...OPTIONS.filter(({ group }) => group === name).map((row) =>
      `  ${spelt(row).padEnd(width)}${row.summary}${row.env ? ` [${row.env}]` : ""}`
    ),
    "",
  ]);
  return [
    "deskhand controls a desktop over HTTP and from a prompt, and serves files.",
    "",
    `Usage: ${USAGE}`,
    ...subcommands.map((row) => `       deskhand ${subcommandUsage(row).padEnd(19)}${row.summary}`),
    "",
    ...groups,
    "Without options it is a prompt; `help` there lists its commands.",
    `Exit codes: ${EXIT_CODES.map((row) => row.join(" ")).join(", ")}.`,
  ].join("\n");
}

/** An option with its letter and its value, indented where it has no letter. */
function spelt(row: Option): string {
  return `${row.short ? `-${row.short}, ` : "    "}--${row.name}${valueUsage(row)}`;
}
