/** Elements as far as lines of text show them. */

/** An element, as far as a line shows it. */
export interface ShownElement {
  ref: string;
  role: string;
  name: string;
  value?: string;
  /** The formula of a cell. */
  formula?: string;
  states: readonly string[];
  depth: number;
  x?: number;
  y?: number;
  width?: number;
  height?: number;
}

/** The elements of a window, as far as lines show them. */
export interface ShownElements {
  window: { title: string };
  places: string;
  elements: readonly ShownElement[];
  /** The number of elements that are left out. */
  more: number;
  /** False if the window has elements that were not read. */
  whole?: boolean;
  silent?: string;
  /** The number of the earlier list, since which these are the changes. */
  since?: number;
  /** Refs of the elements that are gone since then. */
  removed?: readonly string[];
}
