/** Texts that `help` prints. */

import { fillLines, inColumns } from "../../core/columns.ts";
import { terminalColumns } from "../../core/output.ts";
import type { Command } from "./command.ts";

/** Commands of one subject. */
export type CommandGroup = readonly [subject: string, commands: readonly Command[]];

/** Every command with what it does, by subjects, broken at the width of the terminal. */
export function commandHelp(groups: readonly CommandGroup[]): string {
  return groups.map(([subject, commands]) =>
    [
      subject,
      ...inColumns(commands.map(({ usage, summary }) => [`  ${usage}`, summary]), terminalColumns()),
    ].join("\n")
  ).join("\n");
}

/** How a command is written, an example, and what it does. */
export function oneHelp({ usage, example, summary }: Command): string {
  const text = fillLines(summary.split(" "), (terminalColumns() ?? Infinity) - 2);
  return [usage, ...text.map((line) => `  ${line}`), `  such as ${example}`].join("\n");
}
