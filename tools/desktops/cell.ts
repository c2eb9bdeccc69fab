/** Cells of the table of desktops: a trial on a desktop, and its outcome. */

/** Outcomes of a cell, from best to worst. */
export const OUTCOMES = ["delivered", "not run", "refused", "silent"] as const;

/**
 * - `delivered`: the input arrived as deskhand's response says;
 * - `not run`: it could not be tried, for a reason unrelated to deskhand;
 * - `refused`: deskhand reported that it is impossible, and why;
 * - `silent`: deskhand responded ok, but other input arrived.
 */
export type Outcome = typeof OUTCOMES[number];

/** A cell of the table. */
export interface Cell {
  /** The desktop, by its row's ID. */
  row: string;
  /** The receiving program, or `desktop`. */
  column: string;
  /** The action that is tried. */
  thing: string;
}

/** One part of a cell, such as one text of four. */
export interface Part {
  name: string;
  outcome: Outcome;
  /** deskhand's message, what arrived instead of the text, or why it was not run. */
  why?: string;
}

/** A cell's result, as stored in a file. */
export interface Result extends Cell {
  outcome: Outcome;
  parts: Part[];
  /** When the result was determined, in ISO 8601. */
  date: string;
  /** The tested deskhand, such as `deskhand 0.1.0 (d58ffea)`; several commits if one of them was tested. */
  version: string;
  /** The desktop's version, such as `43.9`; empty if unknown. */
  desktop: string;
}

/** The worst outcome among parts; `not run` if there are none. */
export function worst(parts: readonly Part[]): Outcome {
  if (!parts.length) return "not run";
  return parts.map(({ outcome }) => outcome).reduce((a, b) =>
    OUTCOMES.indexOf(a) > OUTCOMES.indexOf(b) ? a : b
  );
}

/** A cell's name, such as `xfce-ibus/xterm/texts`. */
export function cellName({ row, column, thing }: Cell): string {
  return [row, column, thing].join("/");
}

/**
 * Whether a cell is selected.
 * @param wanted Names of cells, or prefixes of names up to a slash (`xfce-ibus`, `xfce-ibus/xterm`); `any`
 * matches any row, column or action. An empty list selects all.
 */
export function isWanted(cell: Cell, wanted: readonly string[]): boolean {
  const words = cellName(cell).split("/");
  const fits = (name: string) => name.split("/").every((word, i) => word === "any" || word === words[i]);
  return !wanted.length || wanted.some(fits);
}
