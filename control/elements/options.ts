/** Options of combo boxes, lists, trees and rows of tabs, as a list of elements has them. Pure. */

import type { ListedElement } from "./list.ts";

/** An option. */
export interface Option {
  ref: string;
  key: string;
  /** Its name, or that of the text in it. */
  label: string;
  isSelected: boolean;
}

/** Roles of options. */
const OPTIONS = new Set("option,menuitem,menuitemradio,listitem,treeitem,tab,cell,row,radio".split(","));
/** Roles of elements whose options are labels in Swing. */
const LISTS = new Set(["list", "listbox", "tree"]);

/**
 * The options of an element.
 * @param elements The elements of the window, in the tree's order, also those that are not shown.
 * @param ref The element that has the options.
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
    const text = within(inside, ref, i).find(({ name }) => name)?.name ?? "";
    if (name || text) found.push({ ref, key, label: name, text, isSelected: states.includes("selected") });
  });
  // GTK 4 names all tabs "Tab".
  const isNamed = found.length < 2 || found.some(({ label }) => label !== found[0].label);
  return found.map(({ text, ...option }) => ({
    ...option,
    label: isNamed && option.label || text || option.label,
  }));
}

/** The elements in an element. */
export function within(
  elements: readonly ListedElement[],
  ref: string,
  at = elements.findIndex((element) => element.ref === ref),
): ListedElement[] {
  if (at < 0) return [];
  const rest = elements.slice(at + 1), { depth } = elements[at];
  const end = rest.findIndex((element) => element.depth <= depth);
  return end < 0 ? rest : rest.slice(0, end);
}

/**
 * The option of a name, in any case of letters; a part of the name serves if it is in one option alone.
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

/** Options that an error lists. */
const MOST_LISTED = 20;

/**
 * The end of an error about an option that is missing: those that are there.
 * @example
 * listedOptions([{ ref: "e1", key: "", label: "Niger", isSelected: false }]); // '"Niger"'
 */
export function listedOptions(options: readonly Option[]): string {
  const listed = options.slice(0, MOST_LISTED).map(({ label }) => JSON.stringify(label)).join(", ");
  return options.length > MOST_LISTED ? `${listed} and ${options.length - MOST_LISTED} more` : listed;
}

/** The name of the chosen option. */
export function chosenIn(options: readonly Option[]): string | undefined {
  return options.find(({ isSelected }) => isSelected)?.label;
}
