/** Tables, and the options of combo boxes, lists, trees and rows of tabs, from a list of elements. Pure. */

import type { ListedElement } from "./list.ts";

/** Roles of table and list cells, and of the rows around them. */
const CELLS = new Set("cell,columnheader,rowheader,gridcell".split(","));
const ROWS = new Set("row,listitem,treeitem,option".split(","));
/** The name of a spreadsheet cell. */
const NAMED_CELL = /^([A-Z]{1,3})([1-9]\d*)$/;
/**
 * Whether an element is a spreadsheet cell, named by its column and row.
 * @example
 * isSheetCell({ role: "cell", name: "B2" }); // true
 */
export function isSheetCell({ role, name }: { role: string; name: string }): boolean {
  return role === "cell" && NAMED_CELL.test(name);
}

// The tree of a list of elements, whose order and depths say what contains what.

/** The index of each element's parent; -1 for an element without one. */
export function parentsOf(elements: readonly ListedElement[]): number[] {
  const around: number[] = [];
  return elements.map(({ depth }, i) => {
    while (around.length && elements[around.at(-1)!].depth >= depth) around.pop();
    const parent = around.at(-1) ?? -1;
    around.push(i);
    return parent;
  });
}

/** An element, by its index, and its descendants. */
export function subtree(elements: readonly ListedElement[], at: number): ListedElement[] {
  const { depth } = elements[at];
  let end = at + 1;
  while (end < elements.length && elements[end].depth > depth) end++;
  return elements.slice(at, end);
}

/** The descendants of an element; none if it is not in the list. */
export function within(elements: readonly ListedElement[], ref: string): ListedElement[] {
  const at = elements.findIndex((element) => element.ref === ref);
  return at < 0 ? [] : subtree(elements, at).slice(1);
}

/** How far the middles of cells in one row may differ, in pixels. */
const SAME_ROW = 4;

/**
 * The rows of a window's tables and lists, each cell as its text, from the top.
 * @returns None if the window shows no table or list.
 * @example
 * const cell = { key: "", ref: "e1", role: "cell", states: [], depth: 1 };
 * const rope = { ...cell, name: "Rope", place: { x: 0, y: 0, width: 50, height: 20 } };
 * tableRows([rope, { ...rope, name: "31.5", place: { ...rope.place, x: 50 } }])[0].join(); // "Rope,31.5"
 */
export function tableRows(elements: readonly ListedElement[]): string[][] {
  const shown = elements.filter(({ place, states }) => place !== undefined && !states.includes("hidden"));
  const cells = shown.filter(({ role }) => CELLS.has(role));
  if (cells.some(({ name, value }) => NAMED_CELL.test(name) && value !== undefined)) return sheetRows(cells);
  const places = new Map(elements.map((element, i) => [element, i]));
  const textOf = (element: ListedElement) => textIn(elements, places.get(element)!);
  if (cells.length) return placedRows(cells, textOf);
  return shown.filter(({ role }) => ROWS.has(role)).map((row) => [textOf(row)])
    .filter(([text]) => text !== "");
}

/** The rows of a spreadsheet by cell name: first the column letters, then each row after its number. */
function sheetRows(cells: readonly ListedElement[]): string[][] {
  const named = cells.flatMap(({ name }) => {
    const [, column, row] = NAMED_CELL.exec(name) ?? [];
    return column === undefined ? [] : [{ column, row: Number(row) }];
  });
  const byName = new Map(cells.toReversed().map((cell) => [cell.name, cell])); // the first of a name
  const numberOf = (column: string) =>
    [...column].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  const columns = [...new Set(named.map(({ column }) => column))].sort((a, b) => numberOf(a) - numberOf(b));
  const rows = [...new Set(named.map(({ row }) => row))].sort((a, b) => a - b);
  const textAt = (column: string, row: number) => {
    const { value = "", formula } = byName.get(`${column}${row}`) ?? {};
    return formula === undefined ? value : `${value} (${formula})`;
  };
  return [
    ["", ...columns],
    ...rows.map((row) => [String(row), ...columns.map((column) => textAt(column, row))]),
  ];
}

/** Rows of cells whose middles are at the same height. */
function placedRows(
  cells: readonly ListedElement[],
  textOf: (cell: ListedElement) => string,
): string[][] {
  const rows: { y: number; cells: { x: number; text: string }[] }[] = [];
  for (const cell of cells) {
    const { x, y, height } = cell.place!, middle = y + height / 2;
    const entry = { x, text: textOf(cell) };
    const row = rows.findLast((row) => Math.abs(row.y - middle) <= SAME_ROW); // mostly the newest
    if (row) row.cells.push(entry);
    else rows.push({ y: middle, cells: [entry] });
  }
  return rows.sort((a, b) => a.y - b.y)
    .map(({ cells }) => cells.sort((a, b) => a.x - b.x).map(({ text }) => text))
    .filter((row) => row.some((text) => text !== ""));
}

/** The text of an element, by its index: its value or name, otherwise those of its descendants. */
function textIn(elements: readonly ListedElement[], at: number): string {
  const { value, name, states } = elements[at], own = value || name;
  if (own) return states.includes("checked") ? `${own} (checked)` : own;
  const texts = subtree(elements, at).map(({ name, value }) => value || name).filter((text) => text);
  return [...new Set(texts)].join(" ");
}

/** Roles of elements with document text. */
const WRITTEN = new Set(
  "paragraph,heading,static,text,label,link,listitem,cell,columnheader,rowheader,caption,terminal,document"
    .split(","),
);

/**
 * The text of a window in tree order: of documents and pages, and of multiline fields.
 * @returns Lines; none if the window shows no text.
 */
export function documentLines(elements: readonly ListedElement[]): string[] {
  const lines: string[] = [];
  elements.forEach((element, i) => {
    const { role, name, value, states, depth } = element;
    const isField = role === "textbox" && (states.includes("multiline") || value?.includes("\n"));
    if (states.includes("hidden") || !isField && !WRITTEN.has(role)) return;
    const text = (isField ? value : value || name)?.trim() ?? "";
    const next = elements[i + 1];
    const isRepeated = next && next.depth > depth && (next.name || next.value) === text; // a link's own text
    if (text && !isRepeated) lines.push(...text.split("\n"));
  });
  return lines;
}

// Options of combo boxes, lists, trees and rows of tabs, from a list of elements. Pure.

export interface Option {
  ref: string;
  key: string;
  /** Its name, or that of its text. */
  label: string;
  isSelected: boolean;
}

const OPTIONS = new Set("option,menuitem,menuitemradio,listitem,treeitem,tab,cell,row,radio".split(","));
/** Roles of elements whose options are labels in Swing. */
const LISTS = new Set(["list", "listbox", "tree"]);

/**
 * The options of an element.
 * @param elements The elements of the window, in tree order, including hidden ones.
 * @param ref The element with the options.
 * @example
 * const box = { key: "", name: "", states: [], ref: "e1", role: "combobox", depth: 1 };
 * const option = { key: "", name: "Norway", states: [], ref: "e2", role: "menuitem", depth: 2 };
 * optionsOf([box, option], "e1")[0].label; // "Norway"
 */
export function optionsOf(elements: readonly ListedElement[], ref: string): Option[] {
  const inside = within(elements, ref), found: (Option & { text: string })[] = [];
  const role = elements.find((element) => element.ref === ref)?.role ?? "";
  const areLabels = LISTS.has(role) && !inside.some((element) => OPTIONS.has(element.role));
  inside.forEach((element, i) => {
    if (!OPTIONS.has(element.role) && !(areLabels && element.role === "label")) return;
    const { ref, key, name, states } = element;
    const text = subtree(inside, i).slice(1).find(({ name }) => name)?.name ?? "";
    if (name || text) found.push({ ref, key, label: name, text, isSelected: states.includes("selected") });
  });
  // GTK 4 names all tabs "Tab".
  const isNamed = found.length < 2 || found.some(({ label }) => label !== found[0].label);
  return found.map(({ text, ...option }) => ({
    ...option,
    label: isNamed && option.label || text || option.label,
  }));
}

/**
 * The option with a name, case-insensitive; a part of the name suffices if only one option contains it.
 * @example
 * const niger = { ref: "e1", key: "", label: "Niger", isSelected: false };
 * const nigeria = { ref: "e2", key: "", label: "Nigeria", isSelected: false };
 * optionIn([niger, nigeria], "niger")?.ref; // "e1"
 */
export function optionIn(options: readonly Option[], name: string): Option | undefined {
  const wanted = name.trim().toLowerCase();
  const exact = options.find(({ label }) => label.trim().toLowerCase() === wanted);
  if (exact || !wanted) return exact;
  const parts = options.filter(({ label }) => label.toLowerCase().includes(wanted));
  return parts.length === 1 ? parts[0] : undefined;
}

/** Maximum number of options in an error. */
const MOST_LISTED = 20;

/**
 * The end of an error about a missing option: the existing ones.
 * @example
 * listedOptions([{ ref: "e1", key: "", label: "Niger", isSelected: false }]); // '"Niger"'
 */
export function listedOptions(options: readonly Option[]): string {
  const listed = options.slice(0, MOST_LISTED).map(({ label }) => JSON.stringify(label)).join(", ");
  return options.length > MOST_LISTED ? `${listed} and ${options.length - MOST_LISTED} more` : listed;
}

/** The name of the selected option. */
export function chosenIn(options: readonly Option[]): string | undefined {
  return options.find(({ isSelected }) => isSelected)?.label;
}
