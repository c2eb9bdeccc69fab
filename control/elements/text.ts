/**
 * Elements as lines of text, for people and models; and a window's elements as an outline without refs and places,
 * which is the same on all machines: for tests.
 */

import { counted, printableJson } from "../../core/printable.ts";

// Chooses the elements of a window that are useful to a reader of text; all others only cost tokens.

/** Roles of elements that, without a name and a value, are only containers. */
const HOLDERS = new Set(
  ("menubar,toolbar,titlebar,statusbar,info bar,tablist,tab,frame,list,listitem,tree,treeitem,table,treegrid,row," +
    "cell,columnheader,rowheader,tearoff menu item").split(","),
);
/** Roles of texts and pictures, which stand for no element around them. */
const TEXTS = new Set("label,static,img,icon".split(","));

/** Elements that lines of text show. */
interface Compact {
  kept: ShownElement[];
  /** The number of elements that are left out for want of a place. */
  unplaced: number;
}

/**
 * Chooses the elements that lines of text show; children of omitted elements move up. Omitted are elements without a
 * place in a window that has places, such as items of closed menus; the window's own element if it repeats the title;
 * nameless elements that are only containers, or have the same place as their child.
 */
function compact({ window, elements }: ShownElements): Compact {
  const hasPlaces = elements.some(({ x }) => x !== undefined);
  let unplaced = 0;
  const kept: ShownElement[] = [], around: { depth: number; isKept: boolean }[] = [];
  elements.forEach((element, i) => {
    const { depth, name, role } = element;
    while (around.length && around.at(-1)!.depth >= depth) around.pop();
    const isPlaced = !hasPlaces || element.x !== undefined;
    const isUseful = !(depth === 0 && name === window.title) && !isHolder(element) &&
      !isStoodFor(element, elements[i + 1]) && !isRepeated(element, elements[i + 1]);
    const isKept = isPlaced && isUseful;
    if (!isPlaced && isUseful) unplaced++;
    const states = role === "label" ? element.states.filter((state) => state !== "readonly") : element.states;
    if (isKept) kept.push({ ...element, states, depth: around.filter(({ isKept }) => isKept).length });
    around.push({ depth, isKept });
  });
  return { kept, unplaced };
}

/** Whether a text only says the name of the element behind it, as the label of a field does. */
function isRepeated({ role, name }: ShownElement, next: ShownElement | undefined): boolean {
  return TEXTS.has(role) && name !== "" && next !== undefined && !TEXTS.has(next.role) && next.name === name;
}

function isHolder({ role, name, value, states }: ShownElement): boolean {
  return HOLDERS.has(role) && name === "" && value === undefined &&
    states.every((state) => state === "disabled");
}

/** Whether the next element is in a nameless one and at its place, and has its role or a name. */
function isStoodFor(element: ShownElement, next: ShownElement | undefined): boolean {
  if (!next || next.depth <= element.depth || element.name !== "" || element.value !== undefined) {
    return false;
  }
  if (element.states.length || TEXTS.has(next.role) || middle(next) !== middle(element)) return false;
  return next.role === element.role || next.name !== "";
}

function middle({ x = NaN, y = NaN, width = 0, height = 0 }: ShownElement): string {
  return `${x + (width >> 1)},${y + (height >> 1)}`;
}

/** Characters of a name or value in a line. */
const LENGTH = 80;
/** Elements of one role that share a line. */
const GROUP = 4;
/** Roles of which the number of left out elements is told. */
const MOST_ROLES = 5;

/** Preferences for the lines of a window's elements. */
interface LinePreferences {
  /** The serial of the list, if the reader can ask for later changes. */
  serial?: number;
  /** The most elements. */
  limit?: number;
  /** Leaves out the places of elements that have a name. */
  hidesPlaces?: boolean;
  /** Writes a line for each element, also for those without a place: the reader asked for such elements by role or name. */
  isAsked?: boolean;
}

/** Writes the elements of a window as lines, indented by their depth, each with the middle of its place. */
export function elementsText(shown: ShownElements, preferences: LinePreferences = {}): string {
  const { window, places, elements, silent, since, removed = [], whole = true } = shown;
  const { serial, limit = Infinity, isAsked = false, hidesPlaces = false } = preferences;
  const title = quoted(window.title);
  if (silent !== undefined && since === undefined && elements.length <= 1) {
    return `${title} shows no elements: ${silent}; use find and screenshot`;
  }
  const { kept, unplaced } = isAsked ? { kept: elements, unplaced: 0 } : compact(shown);
  const listed = kept.slice(0, limit).map((element) =>
    hidesPlaces && element.name ? { ...element, x: undefined, y: undefined } : element
  );
  const more = shown.more + unplaced + kept.length - listed.length;
  const total = elements.length + shown.more,
    count = since === undefined ? counted(total, "element") : `${total} changed since ${since}`;
  return [
    `# ${title}, ${count}, places: ${places}${serial === undefined ? "" : `, serial ${serial}`}`,
    ...(isAsked ? listed.map(elementLine) : elementLines(listed)),
    ...(removed.length ? [`gone: ${removed.join(" ")}`] : []),
    ...(more > 0 ? [`… ${more} more: ask by role or name${rolesText(kept.slice(limit))}`] : []),
    ...(whole ? [] : ["… the window has more elements than were read: ask by role and name"]),
  ].join("\n");
}

/** The roles of elements that the limit left out, the most frequent first, such as ` (9 button, 2 row)`. */
function rolesText(elements: readonly ShownElement[]): string {
  const counts = [...Map.groupBy(elements, ({ role }) => role)]
    .map(([role, { length }]) => ({ role, length })).sort((a, b) => b.length - a.length).slice(0, MOST_ROLES);
  return counts.length ? ` (${counts.map(({ role, length }) => `${length} ${role}`).join(", ")})` : "";
}

/**
 * Lines of elements; several side by side that have one role and no value are one line. There, names stand for places: only an
 * element without a name has its place.
 */
function elementLines(elements: readonly ShownElement[]): string[] {
  const lines: string[] = [];
  for (let i = 0; i < elements.length;) {
    const cells = cellsAt(elements, i);
    if (cells.length) {
      lines.push(rowLine(cells));
      i += cells.length;
      continue;
    }
    const group = groupAt(elements, i), isGroup = group.length >= GROUP;
    lines.push(isGroup ? groupLine(group) : elementLine(elements[i]));
    i += isGroup ? group.length : 1;
  }
  return lines;
}

/** The name of a spreadsheet's cell. */
const CELL = /^[A-Z]{1,3}(\d+)$/;

/** The cells of a spreadsheet's row, from an index of the list on. */
function cellsAt(elements: readonly ShownElement[], start: number): readonly ShownElement[] {
  const rowOf = (element: ShownElement | undefined) =>
    element?.role === "cell" && element.value !== undefined ? CELL.exec(element.name)?.[1] : undefined;
  const row = rowOf(elements[start]);
  if (row === undefined) return [];
  let end = start;
  while (rowOf(elements[end]) === row) end++;
  return elements.slice(start, end);
}

/** A line of a row's cells, which are named as actions take them: cell "B2". */
function rowLine(cells: readonly ShownElement[]): string {
  const each = cells.map(({ name, value = "", formula }) =>
    `${name} ${quoted(value)}${formula === undefined ? "" : ` (${quoted(formula)})`}`
  );
  return `${"  ".repeat(cells[0].depth)}cells: ${each.join(" ")}`;
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
  return "  ".repeat(element.depth) + elementWords(element, placeText(element));
}

/** An element in one line without its place, such as `e12 textbox "Name" = "Ann" focused`. */
export function describedElement(element: Omit<ShownElement, "x" | "y">): string {
  return elementWords(element, "");
}

function elementWords(element: ShownElement, place: string): string {
  const { ref, role, name, value, formula, states } = element;
  const words = [
    ref,
    role,
    name && quoted(name),
    value !== undefined && value !== name && `= ${quoted(value)}`,
    formula !== undefined && `(${quoted(formula)})`,
    ...told(states),
    place,
  ];
  return words.filter(Boolean).join(" ");
}

const told = (states: readonly string[]) => states.filter((state) => state !== "hidden");

function quoted(text: string): string {
  const cut = text.length > LENGTH ? `${text.slice(0, LENGTH - 1)}…` : text;
  return printableJson(JSON.stringify(cut));
}

/** An element, as far as a line shows it. */
export interface ShownElement {
  ref: string;
  role: string;
  name: string;
  value?: string;
  formula?: string;
  states: readonly string[];
  depth: number;
  x?: number;
  y?: number;
  width?: number;
  height?: number;
}

/** The elements of a window, as far as lines show them. */
interface ShownElements {
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

/** States that come and go with the keyboard or the view. */
const PASSING = new Set(["focused", "hidden"]);

/**
 * Writes the elements of a window as an outline: a line for each, indented by its depth.
 * @example
 * const field = { ref: "e1", role: "textbox", name: "Name", value: "Ann", states: ["required"], depth: 1 };
 * const button = { ref: "e2", role: "button", name: "Save", states: [], depth: 1 };
 * const window = { title: "Form" };
 * elementsOutline({ window, places: "none", elements: [field, button], more: 0 });
 * // '- textbox "Name" [required]: "Ann"\n- button "Save"\n'
 */
export function elementsOutline(shown: ShownElements): string {
  return compact(shown).kept.map((element) => `${"  ".repeat(element.depth)}${lineOf(element)}\n`).join("");
}

function lineOf({ role, name, value, states }: ShownElement): string {
  const lasting = states.filter((state) => !PASSING.has(state)).toSorted();
  return [
    `- ${role}`,
    name && ` ${inFull(name)}`,
    lasting.length ? ` [${lasting.join(", ")}]` : "",
    value !== undefined && value !== name ? `: ${inFull(value)}` : "",
  ].join("");
}

function inFull(text: string): string {
  return printableJson(JSON.stringify(text));
}
