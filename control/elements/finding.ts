/** Finding the one element that a caller means. */

import type { Button, WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import type { WindowQuery } from "../windows/selection.ts";
import { type ElementQuery, oneElement } from "./query.ts";
import { checkNotSilent, type ListedElement, readElements, rereadElement } from "./reading.ts";
import { describeElementQuery } from "./words.ts";

/** An element by its ref, or by role and name in a window. */
export interface ElementTarget extends ElementQuery {
  element?: string;
  window: WindowQuery;
}

/** An element that was found, and its window. */
export interface Found {
  window: WindowInfo;
  element: ListedElement;
}

/** The options of a click on an element. */
export interface ElementClick {
  button: Button;
  count: number;
  /** Canonical keys that are held during the click. */
  hold?: readonly string[];
  /** Tells whether only a real click serves: the element's program does not press it. */
  isByPointer?: boolean;
  signal: AbortSignal;
}

/**
 * Finds an element.
 * @throws NotFoundError with the nearest elements if none fits; StateError if several fit, or the window shows no
 * elements.
 */
export async function findElement(
  operator: Operator,
  { element, window, ...query }: ElementTarget,
): Promise<Found> {
  if (element !== undefined) return await rereadElement(operator, element);
  const read = await readElements(operator, window);
  checkNotSilent(read);
  return {
    window: read.window,
    element: oneElement(read.elements, query, JSON.stringify(read.window.title)),
  };
}

/** An element in words, with its ref. */
export function describeElement({ ref, ...query }: ListedElement): string {
  return `${describeElementQuery(query)} (${ref})`;
}
