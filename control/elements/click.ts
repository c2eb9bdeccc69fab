/**
 * Clicks elements: with the pointer if a click certainly hits the element, otherwise through the element's
 * program.
 */

import { delay } from "@std/async/delay";
import { ExpectedError, StateError } from "../../core/errors.ts";
import { waiterOf } from "../../core/mutex.ts";
import { timeByLoad } from "../../core/proc.ts";
import {
  contains,
  isSameRegion,
  isShown,
  type Point,
  type Region,
  type WindowInfo,
} from "../desktop/desktop.ts";
import { checkArrival, checkPoint, intersection, middleOf } from "../desktop/input.ts";
import { type Hands, keysHeld } from "../operator/held.ts";
import type { Operator } from "../operator/operator.ts";
import { changeWindow } from "../windows/change.ts";
import { listWindows } from "../windows/list.ts";
import { effectMs, elementsOf, lastListed, type ListedElement, rereadElement } from "./list.ts";
import {
  type Clicked,
  IN_MENUS,
  isPlain,
  isUnderMenu,
  MOVED,
  MovedError,
  PRESSABLE,
  pressed,
  ROWS,
} from "./press.ts";
import {
  checkEnabled,
  checkNoDialog,
  describeElement,
  type ElementClick,
  type ElementTarget,
  findElement,
  type Found,
  keysReturned,
} from "./query.ts";

// A click that cannot hit a neighbour: if the element moves between press and release, the press is
// cancelled.

/** How long a program takes to handle a press, in milliseconds. */
const HANDLED_MS = 15;
/** How long an element that cancels a press is left alone, in milliseconds. */
const TAKEN_BACK_MS = 20;
/** Maximum time for looking at an element while it is clicked, in milliseconds. */
const LOOKS_MS = 20_000;

/**
 * Clicks an element if it is still at its listed place, which is checked before the press and before the
 * release. If the element has moved in between, the button is released outside the window, which cancels the
 * press as a person would.
 * @returns Whether the element was clicked.
 * @throws StateError if the element disappeared between press and release.
 */
async function clickIfThere(
  operator: Operator,
  { window, element, point }: ElementPlace,
  { button, count, hold = [], signal }: ElementClick,
): Promise<boolean> {
  const place = point!, screen = operator.screen();
  checkPoint(screen, place);
  // Once the button is down, the look decides where it is released, even if the caller leaves.
  const look = (signal?: AbortSignal) => lookAt(operator, window, element.key, place, signal);
  let seen = "there" as Sight;
  const clicks = async ({ desktop, turn, whileDown }: Hands) => {
    for (let i = 0; i < count && seen === "there"; i++) {
      seen = await look(signal);
      if (seen !== "there") return;
      await whileDown([["button", button]], async () => {
        seen = await look();
        // A program may report places before it handles an earlier press.
        if (seen === "there") await delay(HANDLED_MS);
        if (seen === "there") seen = await look();
        if (seen === "there") return;
        turn.check();
        await desktop.pointer.move(besideOf(window, screen));
        await delay(TAKEN_BACK_MS);
      });
    }
  };
  await operator.gesture(
    async (hands) => {
      await hands.desktop.pointer.move(place);
      hands.turn.check();
      checkArrival(hands.desktop, place);
      hands.turn.waitsFor = "the program of the element";
      await hands.whileDown(keysHeld(hold), () => clicks(hands));
    },
    waiterOf(signal),
    { takesMs: LOOKS_MS, waitsFor: "the desktop to move the pointer" },
  );
  if (seen === "gone") throw new StateError(`${describeElement(element)} disappeared during the click`);
  return seen === "there";
}

/** Whether an element is at its place, elsewhere, or gone. */
type Sight = "there" | "away" | "gone";

async function lookAt(
  operator: Operator,
  window: WindowInfo,
  key: string,
  point: Point,
  signal: AbortSignal | undefined,
): Promise<Sight> {
  try {
    const element = await elementsOf(operator).reread(window, key, signal);
    if (!element) return "gone";
    return element.place && contains(element.place, point) ? "there" : "away";
  } catch (error) {
    signal?.throwIfAborted();
    // A program that does not answer while a button is down does not move its elements either.
    if (error instanceof ExpectedError) return "there";
    throw error;
  }
}

/**
 * A place on the desktop outside a window; the desktop's bottom right corner if the window covers everything.
 */
function besideOf({ x, y, width, height }: WindowInfo, screen: Region): Point {
  const candidates = [{ x: x - 1, y }, { x: x + width, y }, { x, y: y - 1 }, { x, y: y + height }];
  return candidates.find((point) => contains(screen, point)) ??
    { x: screen.x + screen.width - 1, y: screen.y + screen.height - 1 };
}

// Brings elements to where the pointer can reach them: scrolled into view, in a window that is not covered
// there.

/** An element, and where the pointer can reach it. */
interface ElementPlace extends Found {
  /** The middle of the element's on-screen part; undefined if the element has no place. */
  point?: Point;
  /**
   * Why the pointer cannot reach the element there: a window that stays in front of it, an open menu, or the edge
   * of the screen.
   */
  unreached?: string;
}

const OFF_SCREEN = "is off the screen",
  UNDER_MENU = "is covered by an open menu (choose an item or press Escape first)",
  OUT_OF_WINDOW = "is outside its window"; // which the window manager may be about to make larger

/** The middle of the on-screen part of a place; of the whole place if it is off the screen. */
function seenMiddle(operator: Operator, place: Region): Point {
  return middleOf(intersection(place, operator.screen()) ?? place);
}

/**
 * Maximum time for a window to come to the front, and then to become visible there, in milliseconds; longer
 * on a busy machine.
 */
const FRONT_MS = 2000, SEEN_MS = 500;
/** Polling interval, in milliseconds. */
const LOOK_MS = 20;

/**
 * Brings an element to where the pointer can reach it.
 * @param mayFocus As in {@linkcode shownElement}.
 * @throws StateError if the element is not shown; the errors of changing a window.
 */
export async function reachElement(
  operator: Operator,
  target: Found,
  signal: AbortSignal,
  mayFocus = false,
): Promise<ElementPlace> {
  const found = await pointedOver(operator, await restored(operator, target, signal), signal),
    { window, windows } = found,
    element = await shownElement(operator, found, signal, mayFocus);
  if (!element.place || !window.width) {
    const isUnder = await isUnderMenu(operator, { ...found, element }, undefined, signal);
    return { window, element, ...(isUnder ? { unreached: UNDER_MENU } : {}) };
  }
  const point = seenMiddle(operator, element.place);
  if (!contains(operator.screen(), point)) return { window, element, point, unreached: OFF_SCREEN };
  if (!await whyUnreached(operator, found, point, signal)) return { window, element, point, windows };
  await bringToFront(operator, window, signal);
  const end = performance.now() + timeByLoad(SEEN_MS);
  for (;;) {
    const unreached = await whyUnreached(operator, { window, element }, point, signal);
    if (!unreached) return { window, element, point };
    if (performance.now() >= end) return { window, element, point, unreached };
    await delay(LOOK_MS, { signal });
  }
}

/** Shows a minimized window, whose program may still report the places of its elements. */
async function restored(operator: Operator, found: Found, signal: AbortSignal): Promise<Found> {
  if (isShown(found.window)) return found;
  await bringToFront(operator, found.window, signal);
  return await rereadElement(operator, found.element.ref, signal);
}

async function bringToFront(operator: Operator, window: WindowInfo, signal: AbortSignal): Promise<void> {
  await changeWindow(operator, {
    query: { id: window.id },
    change: { to: "active" },
    timeoutMs: timeByLoad(FRONT_MS),
    signal,
  });
  // A program that has not yet handled that its window came to the front may lose the next press.
  await operator.desktop.windows?.hasHandled?.(window, timeByLoad(SEEN_MS)).catch(() => undefined);
}

/**
 * Moves the pointer over an element whose program learns its place only from pointer motion in the window.
 */
async function pointedOver(operator: Operator, found: Found, signal: AbortSignal): Promise<Found> {
  const { window, element } = found;
  if (IN_MENUS.has(element.role) || !elementsOf(operator).placesByPointer?.(window)) return found;
  const middle = middleOf(window);
  if (await whyUnreached(operator, found, middle, signal)) await bringToFront(operator, window, signal);
  // The first motion may only enter the window.
  for (const x of [middle.x - 1, middle.x]) await operator.move({ x, y: middle.y }, waiterOf(signal));
  await operator.desktop.windows?.hasHandled?.(window, timeByLoad(SEEN_MS)).catch(() => undefined);
  return await rereadElement(operator, element.ref, signal);
}

/**
 * An element's place after its program has handled its events: a program that has not yet handled a move or
 * resize of its window reports old places, where another window may be.
 */
async function placedFound(operator: Operator, found: Found, signal: AbortSignal): Promise<Found> {
  const { window, element: { ref, key } } = found, desktop = operator.desktop.windows;
  const isHandled = await desktop?.hasHandled?.(window, timeByLoad(SEEN_MS)).catch(() => undefined);
  await keysReturned(operator, key, signal);
  return isHandled ? await rereadElement(operator, ref, signal, found.windows) : found;
}

/**
 * The place where the pointer acts on an element.
 * @param how.isMove Whether the pointer only moves there, even in a window that waits for a dialog.
 * @param how.windows As in {@linkcode listWindows}.
 * @throws The errors of {@linkcode findElement} and {@linkcode reachElement}; StateError if there is no such
 * place.
 */
export async function pointOn(
  operator: Operator,
  target: ElementTarget,
  { signal, isMove = false, windows }: {
    signal: AbortSignal;
    isMove?: boolean;
    windows?: readonly WindowInfo[] | undefined;
  },
): Promise<Point> {
  const found = await placedFound(operator, await findElement(operator, target, signal, windows), signal);
  if (!isMove) await checkNoDialog(operator, found);
  const { element, point, unreached } = await reachElement(operator, found, signal);
  if (!point) throw new StateError(`${describeElement(element)} ${unreached ?? "is not on the screen"}`);
  if (unreached === undefined) return point;
  throw new StateError(`${describeElement(element)} ${unreached}`);
}

/**
 * An element's region on the screen, without scrolling or activating anything.
 * @throws The errors of {@linkcode findElement}; StateError if the element is not shown or entirely off the
 * screen.
 */
export async function shownRegion(
  operator: Operator,
  target: ElementTarget,
  signal: AbortSignal,
): Promise<Region> {
  const { element, window } = await findElement(operator, target, signal), { place, states } = element;
  const shown = place && window.width && isShown(window) && !states.includes("hidden")
    ? intersection(place, operator.screen())
    : undefined;
  if (shown) return shown;
  throw new StateError(`${describeElement(element)} is not on the screen`);
}

/**
 * Scrolls an element into view if it is outside its window; browsers do this in another process.
 * @param mayFocus Whether a row or cell may get the focus to do so, which selects it in GTK 3.
 */
export async function shownElement(
  operator: Operator,
  { window, element }: Found,
  signal: AbortSignal,
  mayFocus = false,
): Promise<ListedElement> {
  if (isInView(window, element)) return element;
  const ask = (type: "scroll" | "focus") => elementsOf(operator).change(element.key, { type }, signal);
  if (!await ask("scroll") && mayFocus && ROWS.has(element.role)) await ask("focus");
  for (const end = performance.now() + effectMs();;) {
    const { element: scrolled } = await rereadElement(operator, element.ref, signal);
    if (isInView(window, scrolled)) return scrolled;
    if (performance.now() > end) {
      const isRow = ROWS.has(element.role), isInMenu = element.role.startsWith("menuitem");
      const how = isInMenu ? ": open its menu first" : isRow ? ", and its program does not scroll to it" : "";
      throw new StateError(`${describeElement(element)} is not shown${how}`);
    }
    await delay(LOOK_MS, { signal });
  }
}

/** Whether a window shows an element, ignoring windows that cover it. */
export function isInView(window: WindowInfo, element: ListedElement): boolean {
  return !element.states.includes("hidden") && isInside(window, element);
}

function isInside(window: WindowInfo, { place, role }: ListedElement): boolean {
  if (!place) return !ROWS.has(role);
  if (!window.width) return true;
  const { x, y } = middleOf(place);
  // Open menus and lists extend beyond their window. A window on a monitor left of or above the first one has
  // negative coordinates.
  return x >= Math.min(0, window.x) && y >= Math.min(0, window.y) &&
    (y < window.y + window.height || place.height < window.height);
}

/**
 * Why a press at a place would not reach the element, such as another window in front of it. Tooltips, for
 * example, are not in the list of windows and cannot be named.
 */
async function whyUnreached(
  operator: Operator,
  { windows: atHand, ...found }: Found,
  point: Point,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { window, element } = found, listed = await listWindows(operator, atHand);
  if (listed.some(({ id, elsewhere }) => id === window.id && elsewhere)) {
    return "is covered by a workspace that is shown in its place";
  }
  const front = listed.find((one) => isShown(one) && contains(one, point));
  const isOwn = front?.id === window.id ||
    front?.pid !== undefined && front.pid === window.pid && front.active;
  if (front && !isOwn) return `is covered by ${JSON.stringify(front.title)}`;
  const popups = front ? undefined : await operator.desktop.targets?.popups?.();
  if (popups?.every((popup) => !contains(popup, point))) return OUT_OF_WINDOW;
  if (await elementsOf(operator).hits?.(element.key, point) === false) {
    return "is covered by a window that is not listed";
  }
  return await isUnderMenu(operator, found, point, signal) ? UNDER_MENU : undefined;
}

// Waits for moving elements: an element seen twice at the same place, some time apart, counts as resting.

/** Polling interval, in milliseconds: longer than a screen frame is shown. */
const LISTED_MS = 25;

/**
 * Waits until an element rests: at its listed place for a short time, or at another place for longer.
 * @param ms How long the element may take to come to rest, in milliseconds.
 * @returns The resting element; undefined if it is still moving.
 */
async function comesToRest(
  operator: Operator,
  { window, element, windows }: ElementPlace,
  signal: AbortSignal,
  ms: number,
): Promise<ElementPlace | undefined> {
  const end = performance.now() + ms, listed = lastListed(operator, element.ref);
  let last = placeIn(window, element.place!),
    now: ElementPlace = { window, element, point: seenMiddle(operator, element.place!) };
  let restsAt = isSame(listed.place, last) ? listed.seenAt + LISTED_MS : performance.now() + 2 * LISTED_MS;
  for (;;) {
    const left = restsAt - performance.now();
    if (left <= 0) return now;
    await delay(Math.min(LISTED_MS, left), { signal });
    const read = await rereadElement(operator, element.ref, signal, windows);
    if (!read.element.place) return undefined;
    const place = placeIn(read.window, read.element.place);
    if (!isSame(last, place)) {
      if (performance.now() >= end) return undefined;
      restsAt = performance.now() + 2 * LISTED_MS;
    }
    last = place;
    now = { ...read, point: seenMiddle(operator, read.element.place) };
  }
}

/** A place relative to a window, which may itself have moved. */
function placeIn(window: WindowInfo, { x, y, width, height }: Region): Region {
  return { x: x - window.x, y: y - window.y, width, height };
}

function isSame(one: Region | undefined, other: Region): boolean {
  return one !== undefined && isSameRegion(one, other);
}

/**
 * Clicks an element as a person would: scrolled into view, its window brought to the front, in its middle,
 * while it is still. If the element has no place, moves, or is covered, its program presses it, which cannot
 * hit another element.
 * @returns The element, and how it was clicked.
 * @throws StateError if it is disabled, waits for a dialog, is not shown, or cannot be clicked either way.
 */
export async function clickElement(
  operator: Operator,
  target: ElementTarget,
  click: ElementClick,
): Promise<Clicked> {
  return await clickFound(operator, await findElement(operator, target, click.signal, click.windows), click);
}

/** Clicks a found element like {@linkcode clickElement}. */
export async function clickFound(operator: Operator, listed: Found, click: ElementClick): Promise<Clicked> {
  const found = await placedFound(operator, listed, click.signal);
  await checkEnabled(operator, found);
  const mayFocus = !click.hold?.length; // with Ctrl, the other rows stay selected
  const place = await reachElement(operator, found, click.signal, mayFocus), { element } = place;
  if (!place.point) return await pressed(operator, element, click, place.unreached ?? "has no place");
  if (place.unreached) return await pressed(operator, element, click, place.unreached, PRESSABLE);
  if (!await comesToRest(operator, place, click.signal, 0)) {
    return await clickedMoving(operator, place, click);
  }
  if (await clickIfThere(operator, place, click)) return { via: "click", element };
  if (isSingle(click)) return await clickedMoving(operator, place, click);
  return await pressed(operator, element, click, MOVED, PRESSABLE);
}

/**
 * How long a moving element may take to come to rest, in milliseconds, if its program cannot press it; longer
 * on a busy machine.
 */
const REST_MS = 2000;
/** How often a resting element is clicked: Chromium scrolls smoothly to a field that gets the focus by a press. */
const CLICKS = 2;

/** Asks the program to press a moving element, or clicks the element once it has come to rest. */
async function clickedMoving(operator: Operator, place: ElementPlace, click: ElementClick): Promise<Clicked> {
  const { element } = place;
  if (isPlain(click) && PRESSABLE.has(element.role)) {
    const isPressed = await elementsOf(operator).change(element.key, { type: "press" }, click.signal);
    if (isPressed) return { via: "action", element };
  }
  for (let left = isSingle(click) ? CLICKS : 1; left > 0; left--) {
    const rested = await comesToRest(operator, place, click.signal, timeByLoad(REST_MS));
    if (!rested) throw new StateError(`${describeElement(element)} keeps moving`);
    if (await clickIfThere(operator, rested, click)) return { via: "click", element: rested.element };
  }
  throw new MovedError(`${describeElement(element)} ${MOVED}`);
}

/** Whether a click whose press is cancelled has had no effect, so that it can be done again. */
function isSingle({ button, count }: ElementClick): boolean {
  return button === "left" && count === 1;
}
