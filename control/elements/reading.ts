/** Reads the elements of a window, each with its ref, without pure layout containers. */

import { NotFoundError, StateError, UnsupportedError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { ElementInfo, Elements, ElementTree, WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { listWindows } from "../windows/list.ts";
import { describeQuery, matchingWindows, oneWindow, type WindowQuery } from "../windows/selection.ts";
import { withoutLayout } from "./layout.ts";
import { type Named, PASSWORD, Refs } from "./refs.ts";

/** An element with its ref. */
export interface ListedElement extends ElementInfo {
  ref: string;
}

/** The elements of a window. */
export interface WindowElements extends Omit<ElementTree, "elements"> {
  window: WindowInfo;
  elements: ListedElement[];
}

/** Windows that an error lists. */
const NEAR = 5;

/** The refs of a desktop's elements. */
const REFS = new WeakMap<Operator, Refs>();

function refsOf(operator: Operator): Refs {
  const refs = REFS.get(operator) ?? new Refs();
  REFS.set(operator, refs);
  return refs;
}

/**
 * The part of a desktop that has elements.
 * @throws UnsupportedError if this desktop cannot read elements.
 */
export function elementsOf(operator: Operator): Elements {
  const { elements, kind } = operator.desktop;
  if (elements) return elements;
  throw new UnsupportedError(
    `the elements of a desktop of kind ${kind} cannot be read; use find and screenshot`,
  );
}

/**
 * Reads the elements of a window.
 * @param query The window; the active one if nothing is given.
 * @param hidden Includes elements that the window does not show.
 * @throws NotFoundError if there is no such window.
 */
export async function readElements(
  operator: Operator,
  query: WindowQuery,
  hidden = false,
): Promise<WindowElements> {
  elementsOf(operator);
  return await readIn(operator, await windowIn(operator, query), hidden);
}

/** Reads the elements of a window as {@linkcode readElements} does. */
export async function readIn(
  operator: Operator,
  window: WindowInfo,
  hidden: boolean,
): Promise<WindowElements> {
  const { elements, ...tree } = await elementsOf(operator).read(window, hidden), refs = refsOf(operator);
  const shown = withoutLayout(elements.map((element) => withoutSecret(element, refs))).map((
    element,
  ): ListedElement => ({
    ref: refs.of(namedOf(element, window)),
    ...element,
  }));
  return { ...tree, window, elements: shown };
}

/**
 * The window of a query for elements.
 * @throws NotFoundError if there is none.
 */
export async function windowIn(operator: Operator, query: WindowQuery): Promise<WindowInfo> {
  const windows = await listWindows(operator);
  if (Object.values(query).some((value) => value !== undefined)) {
    if (!matchingWindows(windows, query).length) throw new NotFoundError(whyNone(windows, query));
    return oneWindow(windows, query);
  }
  const active = windows.find(({ active }) => active) ?? windows[0];
  if (active) return active;
  throw new NotFoundError("there is no window");
}

function whyNone(windows: readonly WindowInfo[], query: WindowQuery): string {
  const titles = windows.filter(({ title }) => title).slice(0, NEAR)
    .map(({ title }) => JSON.stringify(printable(title, 60)));
  const near = titles.length ? `; there are ${titles.join(", ")}` : "";
  return `no window has ${describeQuery(query)}${near}`;
}

/** An element without the text of a password, even while the program shows its letters. */
function withoutSecret(element: ElementInfo, refs: Refs): ElementInfo {
  if (element.role !== PASSWORD && !refs.wasPassword(element.key)) return element;
  const { value: _, ...rest } = element;
  return { ...rest, role: PASSWORD };
}

function namedOf({ key, role, name, place }: ElementInfo, { id, title, x, y }: WindowInfo): Named {
  const inWindow = place && { ...place, x: place.x - x, y: place.y - y };
  return {
    ...{ key, windowId: id, windowTitle: title, role, name, seenAt: performance.now() },
    ...(inWindow ? { place: inWindow } : {}),
  };
}

/** The element of a ref as it was listed last. */
export function lastListed(operator: Operator, ref: string): Named {
  return refsOf(operator).get(ref);
}

/**
 * Reads the element of a ref again.
 * @throws NotFoundError if the element or its window is gone, naming the element.
 */
export async function rereadElement(
  operator: Operator,
  ref: string,
): Promise<{ window: WindowInfo; element: ListedElement }> {
  const refs = refsOf(operator), named = refs.get(ref), { key, windowId, windowTitle, role, name } = named;
  const window = (await listWindows(operator)).find(({ id }) => id === windowId);
  const reread = window && await elementsOf(operator).reread(window, key);
  const element = reread && withoutSecret(reread, refs);
  if (window && element && element.role === role) {
    return { window, element: { ref, ...element, name: element.name || name } };
  }
  const was = `${role} ${JSON.stringify(name)} in ${JSON.stringify(windowTitle)}`;
  throw new NotFoundError(`${ref} is gone; it was ${was}`);
}

/**
 * Explains why a window has no elements to choose from.
 * @throws StateError with the reason if it shows none.
 */
export function checkNotSilent({ window, elements, silent }: WindowElements): void {
  if (!silent || elements.length > 1) return;
  throw new StateError(`${JSON.stringify(window.title)} shows no elements: ${silent}`);
}
