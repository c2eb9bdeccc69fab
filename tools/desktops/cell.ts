/** Cells of the table of desktops: a trial on a desktop, and its outcome. */

/** Outcomes of a cell, from the best to the gravest. */
export const OUTCOMES = ["delivered", "not run", "refused", "silent"] as const;

/**
 * An outcome:
 * - `delivered`: it arrived as deskhand's answer says;
 * - `not run`: it could not be tried, for a reason that is none of deskhand's;
 * - `refused`: deskhand said that it cannot be done, and why;
 * - `silent`: deskhand answered ok, and the arrived input was different.
 */
export type Outcome = typeof OUTCOMES[number];

/** A cell of the table. */
export interface Cell {
  /** The desktop, by the id of its row. */
  row: string;
  /** The program that receives, or `desktop`. */
  column: string;
  /** The thing that is done. */
  thing: string;
}

/** One of the things that make a cell, such as one text of four. */
export interface Part {
  name: string;
  outcome: Outcome;
  /** deskhand's sentence, what arrived in place of the text, or why it was not run. */
  why?: string;
}

/** The result of a cell, as a file keeps it. */
export interface Result extends Cell {
  outcome: Outcome;
  parts: Part[];
  /** The time at which the result was found, in ISO 8601. */
  date: string;
  /** The deskhand that was tried, such as `deskhand 0.1.0 (d58ffea)`; several commits where one of them was tried. */
  version: string;
  /** The version of the desktop, such as `43.9`; empty if it is not known. */
  desktop: string;
}

/** The gravest outcome of parts; `not run` if there are none. */
export function worst(parts: readonly Part[]): Outcome {
  if (!parts.length) return "not run";
  return parts.map(({ outcome }) => outcome).reduce((a, b) =>
    OUTCOMES.indexOf(a) > OUTCOMES.indexOf(b) ? a : b
  );
}

/** The name of a cell, such as `xfce-ibus/xterm/texts`. */
export function cellName({ row, column, thing }: Cell): string {
  return [row, column, thing].join("/");
}

/**
 * Whether a cell is wanted.
 * @param wanted Names of cells, or beginnings of names up to a slash (`xfce-ibus`, `xfce-ibus/xterm`); `any` stands for
 * any row, column or thing. None takes all.
 */
export function isWanted(cell: Cell, wanted: readonly string[]): boolean {
  const words = cellName(cell).split("/");
  const fits = (name: string) => name.split("/").every((word, i) => word === "any" || word === words[i]);
  return !wanted.length || wanted.some(fits);
}
