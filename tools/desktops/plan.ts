/** The cells of a row. */

import type { Cell } from "./cell.ts";
import { isDesktopTerminal, type Program, PROGRAMS } from "./programs.ts";
import type { Row } from "./rows.ts";
import { BESIDE_THINGS, DESKTOP_THINGS, FIELD_THINGS } from "./things/names.ts";

/** The column of the actions tried with the desktop rather than with a program. */
export const DESKTOP_COLUMN = "desktop";

/** A row's programs. */
export function programsOf(row: Row): Program[] {
  const protocol = row.kind === "x11" ? "x11" : "wayland";
  return PROGRAMS.filter((program) =>
    (program.on ?? protocol) === protocol &&
    (!isDesktopTerminal(program) || program.name === row.terminal) &&
    (!row.isVariant || program.isTyping)
  );
}

/** A row's cells, in the order in which they run. */
export function cellsOf(row: Row): Cell[] {
  const cell = (column: string, thing: string): Cell => ({ row: row.id, column, thing });
  if (row.isBare) return BESIDE_THINGS.map((thing) => cell(DESKTOP_COLUMN, thing));
  const fields = programsOf(row).flatMap(({ name }) => FIELD_THINGS.map((thing) => cell(name, thing)));
  if (row.isVariant) return fields;
  return [...fields, ...DESKTOP_THINGS.map((thing) => cell(DESKTOP_COLUMN, thing))];
}
