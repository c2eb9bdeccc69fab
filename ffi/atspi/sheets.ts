/** Cells of spreadsheets, which have billions of them: those on the screen, and single ones by name. */

import type { Region } from "../../control/desktop/desktop.ts";
import type { Calls } from "./calls.ts";
import { interfaceOf, property, type Ref, refOf } from "./objects.ts";
import { SCREEN } from "./places.ts";

/** Minimum number of children for a table to count as a spreadsheet. */
const SHEET_CHILDREN = 1_000_000;
/** Distance in pixels from a sheet's corner to a position in its first or last cell. */
const CORNER = 4;
/** Maximum number of rows and columns on a screen. */
const MOST = { rows: 120, columns: 60 };
/** A cell's name, such as AB12. */
const NAME = /^([A-Z]{1,3})([1-9]\d{0,6})$/;

/** A row and a column, from 0. */
interface Cell {
  row: number;
  column: number;
}

/** Whether a table with so many children is a spreadsheet. */
export function isSheet(role: string, children: number): boolean {
  return role === "table" && (children >= SHEET_CHILDREN || children < 0);
}

/**
 * Parses a cell's name.
 * @returns undefined if the text is not a cell's name.
 * @example
 * cellNamed("AB12"); // { row: 11, column: 27 }
 */
export function cellNamed(name: string): Cell | undefined {
  const [, letters, number] = NAME.exec(name.toUpperCase()) ?? [];
  if (!letters) return undefined;
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  return { row: Number(number) - 1, column };
}

/**
 * Requests a sheet's cells that are on the screen and have a text, row by row.
 * @param place The sheet's region, as reported by its program.
 * @param then Receives each cell.
 */
export function askShownCells(
  calls: Calls,
  sheet: Ref,
  { x, y, width, height }: Region,
  then: (cell: Ref) => void,
): void {
  calls.add(property(sheet, "Table", "NColumns", (columns) => {
    const corners: (Cell | undefined)[] = [];
    let missing = 2;
    const known = () => {
      const [first, last] = corners;
      if (--missing === 0 && first && last) askCells(calls, sheet, first, last, then);
    };
    const places = [[x + CORNER, y + CORNER], [x + width - CORNER, y + height - CORNER]];
    places.forEach(([x, y], i) => {
      askAtPoint(calls, sheet, x, y, Number(columns), (cell) => {
        corners[i] = cell;
        known();
      });
    });
  }));
}

/** Requests the row and column of the cell at a position. */
function askAtPoint(
  calls: Calls,
  sheet: Ref,
  x: number,
  y: number,
  columns: number,
  then: (cell: Cell | undefined) => void,
): void {
  calls.add({
    object: interfaceOf(sheet, "Component"),
    member: "GetAccessibleAtPoint",
    signature: "iiu",
    args: [x, y, SCREEN],
    then(values) {
      const ref = refOf(values?.[0]);
      if (!ref) return then(undefined);
      calls.add({
        object: interfaceOf(ref, "Accessible"),
        member: "GetIndexInParent",
        then(values) {
          const index = Number(values?.[0]);
          const isKnown = index >= 0 && columns > 0;
          then(isKnown ? { row: Math.floor(index / columns), column: index % columns } : undefined);
        },
      });
    },
  });
}

function askCells(calls: Calls, sheet: Ref, first: Cell, last: Cell, then: (cell: Ref) => void): void {
  const rows = Math.min(last.row - first.row + 1, MOST.rows);
  const columns = Math.min(last.column - first.column + 1, MOST.columns);
  for (let at = 0; at < rows * columns; at++) {
    const cell = { row: first.row + Math.floor(at / columns), column: first.column + at % columns };
    askCell(calls, sheet, cell, (ref) => {
      if (ref) askCellText(calls, ref, (text) => text && then(ref));
    });
  }
}

/** Requests a cell's element, which need not be on the screen. */
export function askCell(
  calls: Calls,
  sheet: Ref,
  { row, column }: Cell,
  then: (ref: Ref | undefined) => void,
): void {
  calls.add({
    object: interfaceOf(sheet, "Table"),
    member: "GetAccessibleAt",
    signature: "ii",
    args: [row, column],
    then: (values) => then(refOf(values?.[0])),
  });
}

/** Requests a cell's whole text. LibreOffice returns none for a range beyond the end, but all up to -1. */
export function askCellText(calls: Calls, ref: Ref, then: (text: string) => void): void {
  calls.add({
    object: interfaceOf(ref, "Text"),
    member: "GetText",
    signature: "ii",
    args: [0, -1],
    then: (values) => then(typeof values?.[0] === "string" ? values[0] : ""),
  });
}

/** Requests a cell's formula, which LibreOffice includes in the attributes. */
export function askFormula(calls: Calls, ref: Ref, then: (formula: string | undefined) => void): void {
  calls.add({
    object: interfaceOf(ref, "Accessible"),
    member: "GetAttributes",
    then(values) {
      const attributes = values?.[0], formula = attributes instanceof Map && attributes.get("Formula");
      then(typeof formula === "string" && formula !== "" ? formulaOf(formula) : undefined);
    },
  });
}

/**
 * The formula in a LibreOffice attribute, which escapes some characters with a backslash and then cuts the
 * attribute at the first colon or semicolon: an ellipsis represents what was cut off.
 * @example
 * formulaOf("IF(A1\\=2\\,3)"); // "=IF(A1=2,3)"
 * @example
 * formulaOf("SUM(B2\\"); // "=SUM(B2…"
 */
export function formulaOf(attribute: string): string {
  const plain = attribute.replace(/\\(.?)/gs, (_, escaped: string) => escaped || "…");
  return plain.startsWith("=") ? plain : `=${plain}`;
}
