/**
 * Elements as lines of text, for people and models; and a window's elements as an outline without refs and
 * places, which is the same on all machines, for tests.
 */

import { counted, printableJson } from "../../core/printable.ts";

// Selects the elements of a window that are useful to a reader; all others only cost tokens.

/** Roles of elements that are mere containers without a name and a value. */
const HOLDERS = new Set(
  ("menubar,toolbar,titlebar,statusbar,info bar,tablist,tab,frame,list,listitem,tree,treeitem,table,treegrid,row," +
    "cell,columnheader,rowheader,tearoff menu item").split(","),
);
/** Roles of texts and pictures, which do not stand for their parent. */
const TEXTS = new Set("label,static,img,icon".split(","));

/** The elements that lines of text show. */
interface Compact {
  kept: ShownElement[];
  /** Number of elements left out because they have no place. */
  unplaced: number;
}

/**
 * Selects the elements that lines of text show; children of omitted elements move up. Omitted are elements
 * without a place in a window that has places, such as items of closed menus; the window's own element if it
 * repeats the title; and unnamed elements that are only containers or have the same place as their child.
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

/** Whether a text only repeats the name of the next element, like a field's label. */
function isRepeated({ role, name }: ShownElement, next: ShownElement | undefined): boolean {
  return TEXTS.has(role) && name !== "" && next !== undefined && !TEXTS.has(next.role) && next.name === name;
}

function isHolder({ role, name, value, states }: ShownElement): boolean {
  return HOLDERS.has(role) && name === "" && value === undefined &&
    states.every((state) => state === "disabled");
}

/** Whether the next element is inside an unnamed one, at the same place, and has its role or a name. */
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

/** Maximum length of a name or value in a line, in characters. */
const LENGTH = 80;
/** Number of elements with one role from which they share a line. */
const GROUP = 4;
/** Maximum number of roles listed with the number of omitted elements. */
const MOST_ROLES = 5;

/** Options for the lines of a window's elements. */
interface LinePreferences {
  /** Serial of the list, if the reader can ask for later changes. */
  serial?: number;
  /** Maximum number of elements. */
  limit?: number;
  /** Omits the places of elements with a name. */
  hidesPlaces?: boolean;
  /** Writes a line for every element, even without a place: the reader asked for them by role or name. */
  isAsked?: boolean;
}

/** Writes the elements of a window as lines, indented by depth, each with the middle of its place. */
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

/** The roles of elements omitted because of the limit, most frequent first, such as ` (9 button, 2 row)`. */
function rolesText(elements: readonly ShownElement[]): string {
  const counts = [...Map.groupBy(elements, ({ role }) => role)]
    .map(([role, { length }]) => ({ role, length })).sort((a, b) => b.length - a.length).slice(0, MOST_ROLES);
  return counts.length ? ` (${counts.map(({ role, length }) => `${length} ${role}`).join(", ")})` : "";
}

/**
 * Lines of elements; several siblings with the same role and no value share a line. There, names replace
 * places: only an unnamed element has its place.
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

/** The name of a spreadsheet cell. */
const CELL = /^[A-Z]{1,3}(\d+)$/;

/** The cells of a spreadsheet row, from an index of the list. */
function cellsAt(elements: readonly ShownElement[], start: number): readonly ShownElement[] {
  const rowOf = (element: ShownElement | undefined) =>
    element?.role === "cell" && element.value !== undefined ? CELL.exec(element.name)?.[1] : undefined;
  const row = rowOf(elements[start]);
  if (row === undefined) return [];
  let end = start;
  while (rowOf(elements[end]) === row) end++;
  return elements.slice(start, end);
}

/** The line of a row's cells, named the way actions accept them: cell "B2". */
function rowLine(cells: readonly ShownElement[]): string {
  const each = cells.map(({ name, value = "", formula }) =>
    `${name} ${quoted(value)}${formula === undefined ? "" : ` (${quoted(formula)})`}`
  );
  return `${"  ".repeat(cells[0].depth)}cells: ${each.join(" ")}`;
}

/** The elements from an index of the list that may share a line: siblings of one kind without children. */
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

/** An element in one line, without its place, such as `e12 textbox "Name" = "Ann" focused`. */
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

/** The parts of an element that a line shows. */
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

/** The parts of a window's elements that lines show. */
interface ShownElements {
  window: { title: string };
  places: string;
  elements: readonly ShownElement[];
  /** Number of omitted elements. */
  more: number;
  /** False if the window has elements that were not read. */
  whole?: boolean;
  silent?: string;
  /** Serial of the earlier list, if these are the changes since then. */
  since?: number;
  /** Refs of the elements that have disappeared since then. */
  removed?: readonly string[];
}

/** States that change with the focus or the view. */
const PASSING = new Set(["focused", "hidden"]);

/**
 * Writes the elements of a window as an outline: one line each, indented by depth.
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
