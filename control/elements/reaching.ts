/**
 * Brings elements to where the pointer reaches them: scrolled into view, in a window that is not covered at that
 * place.
 */

import { delay } from "@std/async/delay";
import { StateError } from "../../core/errors.ts";
import { contains, type Point, type Region, type WindowInfo } from "../desktop.ts";
import { intersection } from "../input.ts";
import type { Operator } from "../operator.ts";
import { changeWindow } from "../windows/change.ts";
import { listWindows } from "../windows/list.ts";
import { describeElement, type ElementTarget, findElement, type Found } from "./finding.ts";
import { elementsOf, type ListedElement, rereadElement } from "./reading.ts";

/** An element, and where the pointer reaches it. */
export interface ElementPlace extends Found {
  /** The middle of the element; undefined if the element has no place. */
  point?: Point;
  /** The window that stays in front of the element, in words. */
  coveredBy?: string;
}

/** The longest time for a window to come to the front, and then to be visible there, in milliseconds. */
const FRONT_MS = 2000, SEEN_MS = 500;
/** Time between two looks, in milliseconds. */
const LOOK_MS = 20;

/**
 * Brings an element to where the pointer reaches it.
 * @throws StateError if the element is not shown; the errors of changing a window.
 */
export async function reachElement(
  operator: Operator,
  found: Found,
  signal: AbortSignal,
): Promise<ElementPlace> {
  const { window } = found, element = await shownElement(operator, found);
  if (!element.place || !window.width) return { window, element };
  const point = middleOf(element);
  if (!await coverOf(operator, window, element, point)) return { window, element, point };
  await changeWindow(operator, {
    query: { id: window.id },
    change: { to: "active" },
    timeoutMs: FRONT_MS,
    signal,
  });
  const end = performance.now() + SEEN_MS;
  for (;;) {
    const coveredBy = await coverOf(operator, window, element, point);
    if (!coveredBy) return { window, element, point };
    if (performance.now() >= end) return { window, element, point, coveredBy };
    await delay(LOOK_MS, { signal });
  }
}

/**
 * The place where the pointer acts on an element.
 * @throws The errors of {@linkcode findElement} and {@linkcode reachElement}; StateError if there is no such place.
 */
export async function pointOn(
  operator: Operator,
  target: ElementTarget,
  signal: AbortSignal,
): Promise<Point> {
  const { element, point, coveredBy } = await reachElement(
    operator,
    await findElement(operator, target),
    signal,
  );
  if (!point) throw new StateError(`${describeElement(element)} has no place on the screen`);
  if (!coveredBy) return point;
  throw new StateError(`${describeElement(element)} is covered by ${coveredBy}`);
}

/**
 * The element's region on the screen, without scrolling or activating anything.
 * @throws The errors of {@linkcode findElement}; StateError if the element is not shown, or is completely off the
 * screen.
 */
export async function shownRegion(operator: Operator, target: ElementTarget): Promise<Region> {
  const { element, window } = await findElement(operator, target), { place, states } = element;
  const shown = place && window.width && !states.includes("hidden")
    ? intersection(place, operator.screen())
    : undefined;
  if (shown) return shown;
  throw new StateError(`${describeElement(element)} has no place on the screen`);
}

/** Scrolls an element into its window if it is outside. */
export async function shownElement(operator: Operator, { window, element }: Found): Promise<ListedElement> {
  if (!element.states.includes("hidden") && isInside(window, element)) return element;
  await elementsOf(operator).change(element.key, { type: "scroll" });
  const { element: scrolled } = await rereadElement(operator, element.ref);
  if (!scrolled.states.includes("hidden") && isInside(window, scrolled)) return scrolled;
  throw new StateError(`${describeElement(element)} is not shown`);
}

function isInside(window: WindowInfo, { place }: ListedElement): boolean {
  if (!place || !window.width) return true;
  const { x, y } = middleOf({ place });
  // Menus and lists that are open reach out of their window.
  // A window on a monitor left of or above the first one has negative places.
  return x >= Math.min(0, window.x) && y >= Math.min(0, window.y) &&
    (y < window.y + window.height || place.height < window.height);
}

/**
 * The other window that is in front of a place of this one, in words. Tooltips, for example, are in no list of
 * windows and cannot be named.
 */
async function coverOf(
  operator: Operator,
  window: WindowInfo,
  { key }: ListedElement,
  point: Point,
): Promise<string | undefined> {
  const windows = (await listWindows(operator)).filter(({ state }) => state !== "minimized");
  const front = windows.find((one) => contains(one, point));
  const isOwn = front?.id === window.id || front?.pid === window.pid && front?.active;
  if (front && !isOwn) return JSON.stringify(front.title);
  return await elementsOf(operator).hits?.(key, point) === false ? "a window that is not listed" : undefined;
}

/** The middle of an element's place. */
export function middleOf({ place }: Pick<ListedElement, "place">): Point {
  const { x, y, width, height } = place!;
  return { x: x + (width >> 1), y: y + (height >> 1) };
}
