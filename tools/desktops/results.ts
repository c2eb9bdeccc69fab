/**
 * Results of cells: one file per row, one line of JSON per cell. The files are part of the source, so that an
 * interrupted run can be resumed on any machine.
 */

import { dirname, join } from "@std/path";
import { type Cell, isWanted, type Result } from "./cell.ts";

/** The results in a folder. Two processes may write results at the same time if they run different rows. */
export class Results {
  constructor(readonly folder: string) {}

  /** Stores a result, replacing an earlier one of the cell. */
  write(result: Result): void {
    const path = this.#path(result.row), temporary = `${path}.new`;
    const others = this.#row(result.row).filter((other) => !isSame(other, result));
    const lines = [...others, result].map((one) => JSON.stringify(one)).sort();
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(temporary, lines.join("\n") + "\n");
    Deno.renameSync(temporary, path);
  }

  /** A cell's result; undefined if there is none. */
  read(cell: Cell): Result | undefined {
    return this.#row(cell.row).find((result) => isSame(result, cell));
  }

  /**
   * The cells that remain to be run: those without a result, and those with the result `not run`.
   * @param again Whether to include cells that have a result.
   */
  missing(cells: readonly Cell[], wanted: readonly string[], again = false): Cell[] {
    return cells.filter((cell) => {
      if (!isWanted(cell, wanted)) return false;
      const known = this.read(cell);
      return again || !known || known.outcome === "not run";
    });
  }

  #row(row: string): Result[] {
    try {
      return Deno.readTextFileSync(this.#path(row)).trimEnd().split("\n").map((line) => JSON.parse(line));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  #path(row: string): string {
    return join(this.folder, `${row}.jsonl`);
  }
}

function isSame(a: Cell, b: Cell): boolean {
  return a.row === b.row && a.column === b.column && a.thing === b.thing;
}
