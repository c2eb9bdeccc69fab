/** Elements as lines of text, for people and models. */

import { printableJson } from "../../core/printable.ts";
import { compact } from "./compact.ts";
import type { ShownElement, ShownElements } from "./shown.ts";

/** Characters of a name or value in a line. */
const LENGTH = 80;
/** Elements of one role that share a line. */
const GROUP = 4;

/** Preferences for the lines of a window's elements. */
export interface LinePreferences {
  /** The serial of the list, if the reader can ask for later changes. */
  serial?: number;
  /** The most elements. */
  limit?: number;
  /** Writes a line for each element, also for those without a place: the reader asked for such elements by role or name. */
  isAsked?: boolean;
}

/** Writes the elements of a window as lines, indented by their depth, each with the middle of its place. */
export function elementsText(shown: ShownElements, preferences: LinePreferences = {}): string {
  const { window, places, elements, silent, since, removed = [] } = shown;
  const { serial, limit = Infinity, isAsked = false } = preferences;
  const title = quoted(window.title);
  if (silent !== undefined && since === undefined && elements.length <= 1) {
    return `${title} shows no elements: ${silent}; use find and screenshot`;
  }
  const { kept, unplaced } = isAsked ? { kept: elements, unplaced: 0 } : compact(shown);
  const listed = kept.slice(0, limit), more = shown.more + unplaced + kept.length - listed.length;
  const total = elements.length + shown.more,
    count = since === undefined ? "elements" : `changed since ${since}`;
  return [
    `# ${title}, ${total} ${count}, places: ${places}${serial === undefined ? "" : `, serial ${serial}`}`,
    ...(isAsked ? listed.map(elementLine) : elementLines(listed)),
    ...(removed.length ? [`gone: ${removed.join(" ")}`] : []),
    ...(more > 0 ? [`… ${more} more: ask by role or name`] : []),
  ].join("\n");
}

/**
 * Lines of elements; several side by side that have one role and no value are one line. There, names stand for places: only an
 * element without a name has its place.
 */
function elementLines(elements: readonly ShownElement[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i < elements.length;) {
    const group = groupAt(elements, i), isGroup = group.length >= GROUP;
    lines.push(isGroup ? groupLine(group) : elementLine(elements[i]));
    i += isGroup ? group.length : 1;
  }
  return lines;
}

/** The elements from an index of the list on that may share a line: of one kind, side by side, and without children. */
function groupAt(elements: readonly ShownElement[], start: number): readonly ShownElement[] {
  const { role, depth } = elements[start];
  const fits = (element: ShownElement | undefined) =>
    element?.role === role && element.depth === depth && element.value === undefined;
  let end = start;
  while (fits(elements[end])) end++;
  if (end > start && elements[end]?.depth > depth) end--;
  return elements.slice(start, end);
}

function groupLine(group: readonly ShownElement[]): string {
  const each = group.map((element) => {
    const { ref, name, states } = element;
    return [ref, name ? quoted(name) : placeText(element), ...told(states)].filter(Boolean).join(" ");
  });
  return `${"  ".repeat(group[0].depth)}${group[0].role}: ${each.join(" ")}`;
}

/** The middle of an element's place; empty if it has none. */
function placeText({ x, y, width = 0, height = 0 }: ShownElement): string {
  return x === undefined || y === undefined ? "" : `@${x + (width >> 1)},${y + (height >> 1)}`;
}

function elementLine(element: ShownElement): string {
  const { ref, role, name, value, states, depth } = element;
  const words = [
    ref,
    role,
    name && quoted(name),
    value !== undefined && value !== name && `= ${quoted(value)}`,
    ...told(states),
    placeText(element),
  ];
  return "  ".repeat(depth) + words.filter(Boolean).join(" ");
}

const told = (states: readonly string[]) => states.filter((state) => state !== "hidden");

function quoted(text: string): string {
  const cut = text.length > LENGTH ? `${text.slice(0, LENGTH - 1)}…` : text;
  return printableJson(JSON.stringify(cut));
}
