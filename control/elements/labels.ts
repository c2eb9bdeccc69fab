/**
 * Fields by their labels, since many programs show a label beside its field without linking the two. Pure.
 */

import type { Region } from "../desktop/input.ts";
import type { ListedElement } from "./list.ts";
import { isSheetCell, within } from "./table.ts";

/** Roles of labels, and of the fields that they name. */
const LABELS = new Set("label,static,text,cell,caption,columnheader".split(","));
const FIELDS = new Set(
  "textbox,password,combobox,spinbutton,slider,checkbox,radio,switch,listbox,autocomplete,searchbox".split(
    ",",
  ),
);
/** Roles of fields whose own name is always their label. */
const SELF_NAMED = new Set(["checkbox", "radio", "switch"]);
/** How far below a label its field may start, in label heights. */
const BELOW = 2;
/** How far a label and its field may overlap, in pixels. */
const OVERLAP = 8;

/** The fields of a window, and what labels already name. */
interface Fields {
  shown: readonly (ListedElement & { place: Region })[];
  /** The names of the labels, in comparable form. */
  labels: ReadonlySet<string>;
}

/** Finds the fields that labels may name, once for any number of labels. */
export function fieldsIn(elements: readonly ListedElement[]): Fields {
  const shown = elements.filter((element): element is ListedElement & { place: Region } =>
    FIELDS.has(element.role) && element.place !== undefined && element.place.width > 0 &&
    !element.states.includes("hidden")
  );
  const labels = elements.filter(({ role }) => LABELS.has(role)).map(({ name }) => bare(name));
  return { shown, labels: new Set(labels) };
}

/**
 * The field that a label names: the nearest one to its right on the same line, otherwise the nearest below
 * it.
 * @returns undefined if the element is not a label or has no field near it.
 * @example
 * const label = { ref: "e1", key: "", role: "label", name: "Name:", states: [], depth: 1, place: { x: 0, y: 0, width: 50, height: 20 } };
 * const field = { ...label, ref: "e2", role: "textbox", name: "", place: { x: 60, y: 0, width: 90, height: 20 } };
 * fieldOf(label, fieldsIn([label, field]))?.ref; // "e2"
 */
export function fieldOf(label: ListedElement, { shown, labels }: Fields): ListedElement | undefined {
  const { place } = label;
  if (!place || !LABELS.has(label.role)) return undefined;
  const right = shown.filter((field) => isBeside(place, field.place))
    .sort((one, other) => one.place.x - other.place.x);
  const below = shown.filter((field) => isBelow(place, field.place))
    .sort((one, other) => one.place.y - other.place.y);
  const isFree = (field: ListedElement) => !isLabelled(field, label, labels);
  return right.find(isFree) ?? below.find(isFree);
}

/** Whether a field has another label. */
function isLabelled(
  { role, name }: ListedElement,
  label: ListedElement,
  labels: ReadonlySet<string>,
): boolean {
  const own = bare(name);
  return own !== "" && own !== bare(label.name) && (SELF_NAMED.has(role) || labels.has(own));
}

/** A name in comparable form: a label may end in a colon. */
const bare = (name: string) => name.toLowerCase().trimEnd().replace(/:$/, "").trimEnd();

function isBeside(label: Region, field: Region): boolean {
  const middle = label.y + label.height / 2;
  return field.x >= label.x + label.width - OVERLAP && middle >= field.y && middle <= field.y + field.height;
}

function isBelow(label: Region, field: Region): boolean {
  const gap = field.y - (label.y + label.height);
  return gap >= -OVERLAP && gap <= label.height * BELOW && field.x < label.x + label.width &&
    field.x + field.width > label.x;
}

/** Roles of elements that only name others, and of those that take no value. */
const NAMING = new Set("caption,label,static,text".split(","));
const VALUELESS = new Set("button,heading,link,menu,menuitem,paragraph".split(","));
/** Roles of elements that hold fields. */
const HOLDERS = new Set(["group", "panel"]);

/** Whether an element can be set, as far as its role shows. */
export function isField({ role }: Pick<ListedElement, "role">): boolean {
  return FIELDS.has(role);
}

/** Whether an element only names others. */
export function isLabel({ role }: Pick<ListedElement, "role">): boolean {
  return NAMING.has(role);
}

/** Whether an element may stand for a field, as in {@linkcode fieldMeant}. */
export function maySetOther(element: ListedElement, isNamed: boolean): boolean {
  return isLabel(element) || HOLDERS.has(element.role) || isNamed && VALUELESS.has(element.role);
}

/**
 * The field that a caller means when setting an element: the one that a label names, or the only one in a
 * panel. A button may have the name of a field, as in a dialog to replace texts.
 * @param isNamed Whether the caller gave the element's name alone, rather than its role or ref.
 * @returns undefined if it means the element itself.
 */
export function fieldMeant(
  element: ListedElement,
  elements: readonly ListedElement[],
  isNamed: boolean,
): ListedElement | undefined {
  if (LABELS.has(element.role)) {
    return isSheetCell(element) ? undefined : fieldOf(element, fieldsIn(elements));
  }
  if (HOLDERS.has(element.role)) return onlyField(within(elements, element.ref), elements);
  if (!maySetOther(element, isNamed)) return undefined;
  const name = element.name.toLowerCase();
  const isAlike = (other: ListedElement) => [name, `${name}:`].includes(other.name.toLowerCase());
  const named = elements.filter((other) => FIELDS.has(other.role) && isAlike(other));
  const [field, ...others] = named.length ? named : fieldsOf(elements.filter(isAlike), elements);
  return others.length ? undefined : field;
}

/** The only field of a panel, if nothing but the panel names it. */
function onlyField(
  inside: readonly ListedElement[],
  elements: readonly ListedElement[],
): ListedElement | undefined {
  const [field, ...others] = inside.filter(({ role, place, states }) =>
    FIELDS.has(role) && !SELF_NAMED.has(role) && place !== undefined && !states.includes("hidden")
  );
  if (!field || others.length || field.name !== "" && bare(field.name) !== bare(field.value ?? "")) {
    return undefined;
  }
  const fields = fieldsIn(elements);
  return inside.some((label) => fieldOf(label, fields) === field) ? undefined : field;
}

/**
 * The unnamed fields that labels name.
 * @param labels Some of the elements.
 * @param elements The elements of the window.
 */
export function fieldsOf(
  labels: readonly ListedElement[],
  elements: readonly ListedElement[],
): ListedElement[] {
  const all = fieldsIn(elements), named = new Set(labels.map((label) => fieldOf(label, all)));
  // GTK names a combo box after its selection.
  return elements.filter((element) =>
    named.has(element) && (!element.name || element.name === element.value)
  );
}
