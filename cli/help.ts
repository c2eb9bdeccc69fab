/** What `--help` prints. */

import { EXIT_CODES, type Option, OPTIONS, SUBCOMMANDS, USAGE } from "./option_table.ts";

/** Help, one line an option. */
export function helpText(): string {
  const rows = OPTIONS.map((row: Option): [string, string] => {
    const value = row.value === undefined
      ? ""
      : row.kind === "optional"
      ? ` [${row.value}]`
      : ` ${row.value}`;
    const env = row.env ? ` [${row.env}]` : "";
    return [`${row.short ? `-${row.short}, ` : "    "}--${row.name}${value}`, row.summary + env];
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return [
    "deskhand controls a desktop over HTTP and from a prompt, and serves files.",
    "",
    `Usage: ${USAGE.join("\n       ")}`,
    ...SUBCOMMANDS.map(({ usage, summary }) => `       deskhand ${usage.padEnd(19)}${summary}`),
    "",
    ...rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`),
    "",
    "Without options it is a prompt; `help` there lists its commands.",
    `Exit codes: ${EXIT_CODES.map((row) => row.join(" ")).join(", ")}.`,
  ].join("\n");
}
