/** Clicking elements and setting their values. */

import { delay } from "@std/async/delay";
import { StateError } from "../../core/errors.ts";
import type { Button, Point, WindowInfo } from "../desktop.ts";
import { combination } from "../gestures.ts";
import type { Operator } from "../operator.ts";
import { changeWindow } from "../windows/change.ts";
import { listWindows } from "../windows/list.ts";
import { describeElementQuery, type ElementQuery, oneElement } from "./query.ts";
import { checkNotSilent, elementsOf, type ListedElement, readElements, rereadElement } from "./reading.ts";
import { PASSWORD } from "./refs.ts";
import type { WindowQuery } from "../windows/selection.ts";

/** An element by its ref, or by role and name in a window. */
export interface Target extends ElementQuery {
  element?: string;
  window: WindowQuery;
}

/** An element that was found, and its window. */
interface Found {
  window: WindowInfo;
  element: ListedElement;
}

/** How long a program may take to show a change, in milliseconds. */
const EFFECT_MS = 1000;
/** Time between two readings, in milliseconds. */
const INTERVAL_MS = 50;

/**
 * Finds an element.
 * @throws NotFoundError with the nearest if there is none; StateError if several fit, or the window shows none.
 */
export async function findElement(operator: Operator, { element, window, ...query }: Target): Promise<Found> {
  if (element !== undefined) return await rereadElement(operator, element);
  const read = await readElements(operator, window);
  checkNotSilent(read);
  return {
    window: read.window,
    element: oneElement(read.elements, query, JSON.stringify(read.window.title)),
  };
}

/** How a click is done. */
export interface ElementClick {
  button: Button;
  count: number;
  signal: AbortSignal;
}

/**
 * Clicks an element as a person would: scrolled into view, its window brought to the front, on its middle. Only an element
 * without a place is pressed by its program.
 * @returns The element as it was when it was clicked, and the way that was taken.
 * @throws StateError if it is disabled or not shown.
 */
export async function clickElement(operator: Operator, target: Target, click: ElementClick) {
  const found = await findElement(operator, target), element = await shownElement(operator, found);
  const { button, count, signal } = click;
  if (!element.place || !found.window.width) {
    const isDone = await elementsOf(operator).change(element.key, { type: "press" });
    if (isDone) return { via: "action" as const, element };
    throw new StateError(`${describe(element)} has no place, and its program does not press it`);
  }
  const point = middleOf(element), window = found.window;
  if (await isCovered(operator, window, point)) {
    await changeWindow(operator, {
      query: { id: window.id },
      change: { to: "active" },
      timeoutMs: 2000,
      signal,
    });
  }
  await operator.click(point, button, count, [], { signal });
  return { via: "click" as const, element };
}

/** The element where it can be clicked: scrolled into its window if it is outside. */
async function shownElement(operator: Operator, { window, element }: Found): Promise<ListedElement> {
  if (element.states.includes("disabled")) throw new StateError(`${describe(element)} is disabled`);
  if (!element.states.includes("hidden") && isInside(window, element)) return element;
  await elementsOf(operator).change(element.key, { type: "scroll" });
  const { element: scrolled } = await rereadElement(operator, element.ref);
  if (!scrolled.states.includes("hidden") && isInside(window, scrolled)) return scrolled;
  throw new StateError(`${describe(element)} is not shown`);
}

function isInside(window: WindowInfo, { place }: ListedElement): boolean {
  if (!place || !window.width) return true;
  const { x, y } = middleOf({ place });
  // Menus and lists that are open reach out of their window.
  return x >= 0 && y >= 0 && (y < window.y + window.height || place.height < window.height);
}

/** Tells whether another window is in front of a place of this one. */
async function isCovered(operator: Operator, window: WindowInfo, { x, y }: Point): Promise<boolean> {
  const windows = (await listWindows(operator)).filter(({ state }) => state !== "minimized");
  const front = windows.find((one) =>
    x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height
  );
  return front !== undefined && front.id !== window.id && !(front.pid === window.pid && front.active);
}

function middleOf({ place }: Pick<ListedElement, "place">): Point {
  const { x, y, width, height } = place!;
  return { x: x + (width >> 1), y: y + (height >> 1) };
}

/**
 * Sets the text of a field and reads it back. Where the program does not do it, the text is typed over the old one.
 * @returns The element as it is afterwards.
 * @throws StateError if the field then has another text. A password cannot be read back.
 */
export async function setElement(
  operator: Operator,
  target: Target,
  text: string,
  signal: AbortSignal,
): Promise<{ via: "action" | "keys"; element: ListedElement }> {
  const found = await findElement(operator, target), element = await shownElement(operator, found);
  const { key, ref, role } = element, isPassword = role === PASSWORD;
  // A password cannot be read back, so that only keys are sure to reach the field that has the keyboard.
  if (!isPassword && await elementsOf(operator).change(key, { type: "set", text })) {
    const after = await until(operator, ref, ({ value }) => value === text);
    if (after.value === text) return { via: "action", element: after };
  }
  await clickElement(operator, { element: ref, window: {} }, { button: "left", count: 1, signal });
  const clicked = await until(operator, ref, isFocused);
  if (!isFocused(clicked)) {
    throw new StateError(`${describe(clicked)} does not take the keyboard when it is clicked`);
  }
  await combination(operator, ["ctrl", "a"], {}, { signal });
  if (text) await operator.type(text, signal);
  else await combination(operator, ["delete"], {}, { signal });
  const after = await until(operator, ref, ({ value }) => isPassword || value === text);
  if (isPassword || after.value === text) return { via: "keys", element: after };
  throw new StateError(
    `${describe(after)} has the text ${JSON.stringify(after.value ?? "")} after it was set`,
  );
}

/** Reads an element until it is as its program was asked to make it, or for as long as that may take. */
async function until(
  operator: Operator,
  ref: string,
  isDone: (element: ListedElement) => boolean,
): Promise<ListedElement> {
  const end = performance.now() + EFFECT_MS;
  for (;;) {
    const { element } = await rereadElement(operator, ref);
    if (isDone(element) || performance.now() > end) return element;
    await delay(INTERVAL_MS);
  }
}

const isFocused = ({ states }: ListedElement) => states.includes("focused");

/**
 * Gives an element the keyboard.
 * @throws StateError if its program does not.
 */
export async function focusElement(operator: Operator, target: Target): Promise<ListedElement> {
  const { element } = await findElement(operator, target);
  if (await elementsOf(operator).change(element.key, { type: "focus" })) return element;
  throw new StateError(`${describe(element)} does not take the keyboard`);
}

function describe({ ref, ...query }: ListedElement): string {
  return `${describeElementQuery(query)} (${ref})`;
}
