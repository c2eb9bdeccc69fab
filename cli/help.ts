/** The text that `--help` prints. */

import { valueUsage } from "./option.ts";
import { OPTIONS } from "./option_table.ts";
import { type Subcommand, subcommandUsage } from "./subcommand.ts";

/** How deskhand is called. */
export const USAGE = "deskhand [--http [PORT]] [--files [FOLDER]] [options]";

/** Meanings of the exit codes. */
export const EXIT_CODES = [
  [0, "fine"],
  [1, "a command failed"],
  [2, "wrong use"],
  [3, "no desktop to control"],
] as const;

/** Help: a line for each subcommand and each option. */
export function helpText(subcommands: readonly Subcommand[]): string {
  const rows = OPTIONS.map((row): [string, string] => {
    const short = row.short ? `-${row.short}, ` : "    ";
    return [`${short}--${row.name}${valueUsage(row)}`, row.summary + (row.env ? ` [${row.env}]` : "")];
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return [
    "deskhand controls a desktop over HTTP and from a prompt, and serves files.",
    "",
    `Usage: ${USAGE}`,
    ...subcommands.map((row) => `       deskhand ${subcommandUsage(row).padEnd(19)}${row.summary}`),
    "",
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`),
    "",
    "Without options it is a prompt; `help` there lists its commands.",
    `Exit codes: ${EXIT_CODES.map((row) => row.join(" ")).join(", ")}.`,
  ].join("\n");
}
