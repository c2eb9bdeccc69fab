/** Elements as lines of text, for people and models. */

import { printable } from "../../core/printable.ts";

/** Characters of a name or value in a line. */
const LENGTH = 80;

/** An element, as far as a line shows it. */
export interface ShownElement {
  ref: string;
  role: string;
  name: string;
  value?: string;
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
  silent?: string;
  /** The number of the earlier list, since which these are the changes. */
  since?: number;
  /** Refs of the elements that are gone since then. */
  removed?: readonly string[];
}

/**
 * Writes the elements of a window: a line each, indented as they are nested, with the middle of its place.
 * @param serial The serial of the list, where the reader can ask for what changes since.
 */
export function elementsText(shown: ShownElements, serial?: number): string {
  const { window, places, elements, more, silent, since, removed = [] } = shown;
  const title = quoted(window.title);
  if (silent !== undefined && since === undefined && elements.length <= 1) {
    return `${title} shows no elements: ${silent}; use find and screenshot`;
  }
  const count = `${elements.length + more} ${since === undefined ? "elements" : `changed since ${since}`}`;
  return [
    `# ${title}, ${count}, places: ${places}${serial === undefined ? "" : `, serial ${serial}`}`,
    ...elements.map(elementLine),
    ...(removed.length ? [`gone: ${removed.join(" ")}`] : []),
    ...(more > 0 ? [`… ${more} more: ask by role or name`] : []),
  ].join("\n");
}

function elementLine(
  { ref, role, name, value, states, depth, x, y, width = 0, height = 0 }: ShownElement,
): string {
  const words = [
    ref,
    role,
    name && quoted(name),
    value !== undefined && value !== name && `= ${quoted(value)}`,
    ...states.filter((state) => state !== "hidden"),
    x !== undefined && y !== undefined && `@${x + (width >> 1)},${y + (height >> 1)}`,
  ];
  return "  ".repeat(depth) + words.filter(Boolean).join(" ");
}

function quoted(text: string): string {
  const cut = text.length > LENGTH ? `${text.slice(0, LENGTH - 1)}…` : text;
  return JSON.stringify(printable(cut, Infinity));
}
