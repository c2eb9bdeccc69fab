/**
 * Elements by what stands near them: fields by their labels, since many programs show a label beside its field without
 * a tie between the two, and buttons by a text in their container, such as the row of a list. Pure.
 */

import type { Region } from "../desktop/input.ts";
import type { ListedElement } from "./list.ts";
import { matchingElements } from "./query.ts";

/** Roles of labels, and of the fields that they name. */
const LABELS = new Set("label,static,text,cell,caption,columnheader".split(","));
const FIELDS = new Set(
  "textbox,password,combobox,spinbutton,slider,checkbox,radio,switch,listbox,autocomplete,searchbox".split(
    ",",
  ),
);
/** How far below a label its field may begin, in heights of the label. */
const BELOW = 2;
/** Pixels by which a label and its field may overlap. */
const OVERLAP = 8;

/**
 * The field that a label names: the nearest one to its right on the same line, or else below it.
 * @returns undefined if the element is no label, or no field is beside it.
 * @example
 * const label = { ref: "e1", key: "", role: "label", name: "Name:", states: [], depth: 1, place: { x: 0, y: 0, width: 50, height: 20 } };
 * const field = { ...label, ref: "e2", role: "textbox", name: "", place: { x: 60, y: 0, width: 90, height: 20 } };
 * fieldOf(label, [label, field])?.ref; // "e2"
 */
export function fieldOf(label: ListedElement, elements: readonly ListedElement[]): ListedElement | undefined {
  const { place } = label;
  if (!place || !LABELS.has(label.role)) return undefined;
  const fields = elements.filter((element): element is ListedElement & { place: Region } =>
    FIELDS.has(element.role) && element.place !== undefined && element.place.width > 0 &&
    !element.states.includes("hidden")
  );
  const right = fields.filter((field) => isBeside(place, field.place))
    .sort((one, other) => one.place.x - other.place.x);
  const below = fields.filter((field) => isBelow(place, field.place))
    .sort((one, other) => one.place.y - other.place.y);
  return right[0] ?? below[0];
}

function isBeside(label: Region, field: Region): boolean {
  const middle = label.y + label.height / 2;
  return field.x >= label.x + label.width - OVERLAP && middle >= field.y && middle <= field.y + field.height;
}

function isBelow(label: Region, field: Region): boolean {
  const gap = field.y - (label.y + label.height);
  return gap >= -OVERLAP && gap <= label.height * BELOW && field.x < label.x + label.width &&
    field.x + field.width > label.x;
}

/**
 * The elements of the smallest container that has both a text and an element that fits a query.
 * @param elements The elements of a window, in the tree's order.
 * @param text A part of the name or value of an element of the container.
 * @returns Those of all smallest containers, if several elements have the text; none if no container has both. Where several
 * fit in a container, those on the text's line.
 * @example
 * const row = { ref: "e1", key: "", role: "row", name: "", states: [], depth: 0 };
 * const id = { ...row, ref: "e2", role: "cell", name: "#4523", depth: 1 };
 * const button = { ...row, ref: "e3", role: "button", name: "Reject", depth: 1 };
 * inContainer([row, id, button], "#4523", { name: "Reject" }).length; // 3
 */
export function inContainer(
  elements: readonly ListedElement[],
  text: string,
  query: { role?: string; name?: string },
): ListedElement[] {
  const wanted = text.toLowerCase();
  const has = ({ name, value = "" }: ListedElement) =>
    name.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted);
  const found = new Set<ListedElement>();
  let nearest = Infinity;
  elements.forEach((element, i) => {
    if (!has(element)) return;
    for (let at = i, levels = 0; at >= 0; at = around(elements, at), levels++) {
      const part = within(elements, at), fitting = matchingElements(part, query);
      if (!fitting.length) continue;
      if (levels < nearest) found.clear();
      nearest = Math.min(nearest, levels);
      if (levels === nearest) (inLine(element, fitting) ?? part).forEach((element) => found.add(element));
      return;
    }
  });
  return [...found];
}

/** Of several elements those on the line of a text: a page does not show each of its rows as an element. */
function inLine({ place }: ListedElement, elements: ListedElement[]): ListedElement[] | undefined {
  if (elements.length < 2 || !place?.height) return undefined;
  const middle = place.y + place.height / 2;
  const found = elements.filter(({ place }) => place && place.y <= middle && middle < place.y + place.height);
  return found.length ? found : undefined;
}

/** The index of the element around another one; -1 if there is none. */
function around(elements: readonly ListedElement[], at: number): number {
  const { depth } = elements[at];
  return elements.findLastIndex((element, i) => i < at && element.depth < depth);
}

/** An element and those in it. */
function within(elements: readonly ListedElement[], at: number): ListedElement[] {
  const { depth } = elements[at];
  const end = elements.findIndex((element, i) => i > at && element.depth <= depth);
  return elements.slice(at, end < 0 ? undefined : end);
}
