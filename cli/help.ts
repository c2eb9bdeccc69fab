/** The text that `--help` prints. */

import { type Option, OPTION_GROUPS, valueUsage } from "./option_table.ts";
import { MAIN_OPTIONS, optionsOf } from "./own_options.ts";
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

/** Help: a line for each subcommand and each option of a start without one, options in groups. */
export function helpText(subcommands: readonly Subcommand[]): string {
  const width = widthOf(MAIN_OPTIONS);
  const groups = Object.entries(OPTION_GROUPS).flatMap(([name, heading]) => [
    `${heading}:`,
    ...MAIN_OPTIONS.filter(({ group }) => group === name).map((row) => line(row, width)),
    "",
  ]);
  return [
    "deskhand controls a desktop over HTTP and from a prompt, and serves files.",
    "",
    `Usage: ${USAGE}`,
    ...subcommands.map((row) => `       deskhand ${subcommandUsage(row).padEnd(19)}${row.summary}`),
    "",
    ...groups,
    "`deskhand link --help` lists the options of link, and so on.",
    "Without options it is a prompt; `help` there lists its commands.",
    `Exit codes: ${EXIT_CODES.map((row) => row.join(" ")).join(", ")}.`,
  ].join("\n");
}

/** The help of a subcommand: how it is called, and a line for each option that it takes. */
export function subcommandHelp(row: Subcommand): string {
  const options = optionsOf(row), width = widthOf(options);
  return [
    `Usage: deskhand ${subcommandUsage(row)}${options.length ? " [options]" : ""}`,
    "",
    `${row.summary[0].toUpperCase()}${row.summary.slice(1)}.`,
    ...options.length ? ["", "Options:"] : [],
    ...options.map((option) => line(option, width)),
  ].join("\n");
}

function widthOf(options: readonly Option[]): number {
  return Math.max(...options.map((row) => spelt(row).length)) + 2;
}

function line(row: Option, width: number): string {
  return `  ${spelt(row).padEnd(width)}${row.summary}${row.env ? ` [${row.env}]` : ""}`;
}

/** An option with its letter and its value, indented where it has no letter. */
function spelt(row: Option): string {
  return `${row.short ? `-${row.short}, ` : "    "}--${row.name}${valueUsage(row)}`;
}
