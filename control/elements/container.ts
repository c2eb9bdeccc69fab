/** Elements in a container that is known by a text in it, such as the buttons in the row of a list. Pure. */

import type { ListedElement } from "./list.ts";
import { matchingElements } from "./query.ts";

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
