/** Results of cells, each in a JSON file, so that a run that was stopped goes on where it was. */

import { dirname, join } from "@std/path";
import { type Cell, isWanted, type Result } from "./cell.ts";

/** The results in a folder. */
export class Results {
  constructor(readonly folder: string) {}

  /** Keeps a result in place of an earlier one of the cell. */
  write(result: Result): void {
    const path = this.#path(result), temporary = `${path}.new`;
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(temporary, JSON.stringify(result, null, 2) + "\n");
    Deno.renameSync(temporary, path);
  }

  /** The result of a cell; undefined if there is none. */
  read(cell: Cell): Result | undefined {
    try {
      return JSON.parse(Deno.readTextFileSync(this.#path(cell)));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  /**
   * The cells that are still to be run: those without a result, and those that were not run.
   * @param again Takes those too that have a result.
   */
  missing(cells: readonly Cell[], wanted: readonly string[], again = false): Cell[] {
    return cells.filter((cell) => {
      if (!isWanted(cell, wanted)) return false;
      const known = this.read(cell);
      return again || !known || known.outcome === "not run";
    });
  }

  #path({ row, column, thing }: Cell): string {
    return join(this.folder, row, `${column}.${thing}.json`);
  }
}
