/** The texts that `--help` prints. */

import { UsageError } from "../core/errors.ts";
import { styled, terminalColumns } from "../core/output.ts";
import { inColumns, nearest, printable } from "../core/printable.ts";
import { type Option, OPTION_GROUPS, valueUsage } from "./option.ts";
import type { OptionName } from "./option_table.ts";
import { MAIN_OPTIONS, optionsOf, type Subcommand, subcommandUsage } from "./subcommand.ts";

/** The usage line of deskhand. */
export const USAGE = "deskhand [--http [PORT]] [--files [FOLDER]] [options]";

export const EXIT_CODES = [
  [0, "fine"],
  [1, "a command failed"],
  [2, "wrong use"],
  [3, "no desktop to control"],
] as const;

/** The options that most starts need, in the order of help. `--help all` lists all options. */
export const FIRST_OPTIONS: readonly OptionName[] = [
  ...["http", "files", "desktop", "read-only", "command", "host"] as const,
  ...["cert", "key", "require-token", "files-auth", "allow-upload", "trace"] as const,
];

/** The word after `--help` that requests all options. */
export const ALL = "all";

/** Maximum width of a help line, in characters. */
const WIDEST = 80;

/**
 * The text of `--help`.
 * @param topic A subcommand's name, or {@linkcode ALL}; if omitted, the text contains only the most useful
 * options.
 * @throws UsageError if there is no such subcommand.
 */
export function helpText(subcommands: readonly Subcommand[], topic?: string): string {
  if (topic === undefined) return firstHelp(subcommands);
  if (topic === ALL) return fullHelp(subcommands);
  const row = subcommands.find(({ name }) => name === topic);
  if (row) return subcommandHelp(row);
  const meant = nearest(topic, subcommands.map(({ name }) => name));
  throw new UsageError(
    `no help on ${printable(topic, 40)}${
      meant ? ` (did you mean ${meant}?)` : ""
    }; --help lists the subcommands`,
  );
}

function firstHelp(subcommands: readonly Subcommand[]): string {
  const options = FIRST_OPTIONS.map((name) => MAIN_OPTIONS.find((row) => row.name === name)!);
  return [
    ...beginning(),
    ...section("Options", options.map(entry)),
    "",
    ...section("Subcommands", subcommands.map((row) => [`  ${row.name}`, row.summary])),
    "",
    ...filled("`deskhand --help all` lists all options, `deskhand link --help` those of link, and so on."),
    ...ending(),
  ].join("\n");
}

/** Help that lists each subcommand and each option of a start without one, grouped. */
function fullHelp(subcommands: readonly Subcommand[]): string {
  const groups = Object.entries(OPTION_GROUPS).flatMap(([name, heading]) => [
    ...section(heading, MAIN_OPTIONS.filter(({ group }) => group === name).map(entry)),
    "",
  ]);
  return [
    ...beginning(),
    ...section("Subcommands", subcommands.map((row) => [`  ${subcommandUsage(row)}`, row.summary])),
    "",
    ...groups,
    ...filled("`deskhand link --help` lists the options of link, and so on."),
    ...ending(),
  ].join("\n");
}

/** A subcommand's help: its usage, and a line for each of its options. */
export function subcommandHelp(row: Subcommand): string {
  const options = optionsOf(row);
  return [
    `Usage: deskhand ${subcommandUsage(row, options.length ? "[options]" : undefined)}`,
    "",
    ...filled(`${row.summary[0].toUpperCase()}${row.summary.slice(1)}.`),
    ...options.length ? ["", ...section("Options", options.map(entry))] : [],
    ...row.ignoredOfStart
      ? ["", ...filled("Other options of a start have their effect, too: `deskhand --help all`.")]
      : [],
  ].join("\n");
}

function beginning(): string[] {
  return [
    ...filled("deskhand controls a desktop over HTTP and from a prompt, and serves files."),
    "",
    `Usage: ${USAGE}`,
    "       deskhand SUBCOMMAND [options]",
    "",
  ];
}

function ending(): string[] {
  return [
    ...filled("Without options it starts a prompt; `help` there lists the commands."),
    ...filled(`Exit codes: ${EXIT_CODES.map((row) => row.join(" ")).join(", ")}.`),
  ];
}

/** The width of help: that of the terminal, but at most 80 characters. */
function width(): number {
  return Math.min(WIDEST, terminalColumns() ?? WIDEST);
}

function filled(text: string): string[] {
  return inColumns([["", text]], width()).map((line) => line.trimStart());
}

function section(heading: string, rows: readonly (readonly [left: string, right: string])[]): string[] {
  return [styled("bold", `${heading}:`), ...inColumns(rows, width(), (left) => styled("name", left))];
}

/** An option with its letter and value, indented if it has no letter; and its summary. */
function entry(row: Option): [left: string, right: string] {
  const spelt = `${row.short ? `-${row.short}, ` : "    "}--${row.name}${valueUsage(row)}`;
  return [`  ${spelt}`, `${row.summary}${row.env ? ` [${row.env}]` : ""}`];
}
