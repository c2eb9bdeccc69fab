/**
 * Finds recorded elements again. Healing finds the replacement of a named element that a new version of a
 * program no longer shows. Fixed rules decide, none of them picks one of several elements, and the caller is
 * told.
 */

import { delay } from "@std/async/delay";
import { ExpectedError, NotFoundError, on, StateError } from "../../core/errors.ts";
import {
  contains,
  isSameRegion,
  isShown,
  middleOf,
  type Point,
  type WindowInfo,
} from "../desktop/desktop.ts";
import type { RecordedElement, Region } from "../desktop/input.ts";
import type { Operator } from "../operator/operator.ts";
import { listWindows } from "../windows/list.ts";
import { fieldOf, fieldsIn } from "./labels.ts";
import { effectMs, elementsOf, type ListedElement, readIn, type WindowElements } from "./list.ts";
import {
  describeElement,
  describeElementQuery,
  describeRecorded,
  type ElementQuery,
  matchingElements,
  numbered,
  TEXTS,
} from "./query.ts";

/** Polling interval, in milliseconds. */
const LOOK_MS = 50;
/** How long an element must stay at one place to count as resting, in milliseconds. */
const REST_MS = 20;

/** Where a recorded element is now. */
interface FoundAgain extends Region {
  /** The replacement, in words. */
  healed?: string;
}

/**
 * Finds a recorded element, or its replacement after a second (four on a busy machine), and brings its window
 * to the front if necessary.
 * @throws NotFoundError if neither comes to rest within that time; StateError if there are several
 * replacements.
 */
export async function findRecorded(operator: Operator, element: RecordedElement): Promise<FoundAgain> {
  const found = await comeToRest(operator, element) ?? await standInNow(operator, element);
  if (found) return found;
  throw new NotFoundError(`${describeRecorded(element)} was not found`);
}

async function comeToRest(operator: Operator, element: RecordedElement): Promise<Region | undefined> {
  for (const end = performance.now() + effectMs();;) {
    const place = await look(operator, element).catch(on(ExpectedError));
    if (place || performance.now() > end) return place;
    await delay(LOOK_MS);
  }
}

async function standInNow(operator: Operator, element: RecordedElement): Promise<FoundAgain | undefined> {
  const window = (await listWindows(operator)).find(({ title }) => title === element.title);
  if (!window) return undefined;
  const { elements } = await readIn(operator, window, false).catch(on(ExpectedError, { elements: [] }));
  const exact = matchingElements(elements, { ...element, exact: true });
  const found = exact.length ? undefined : standInFor(element, elements);
  if (!found) return undefined;
  const { role, name } = found.element;
  const place = await comeToRest(operator, { ...element, role, name });
  return place && { ...place, healed: found.told };
}

async function look(operator: Operator, wanted: RecordedElement): Promise<Region | undefined> {
  const { role, name, title, nth = 1 } = wanted;
  const windows = (await listWindows(operator)).filter(({ state }) => state !== "minimized");
  const window = windows.find((one) => one.title === title);
  if (!window) return undefined;
  const { elements, places } = await readIn(operator, window, false);
  const found = numbered(elements, { role, name, exact: true })[nth - 1];
  if (!found?.place || places !== "screen" || found.states.includes("disabled")) return undefined;
  if (isCovered(windows, window, found.place)) {
    await operator.desktop.windows!.change(window, { to: "active" });
    return undefined; // the next reading finds the new place
  }
  await delay(REST_MS);
  const { place } = await elementsOf(operator).reread(window, found.key) ?? {};
  return place && isSameRegion(place, found.place) ? place : undefined;
}

function isCovered(windows: readonly WindowInfo[], window: WindowInfo, place: Region): boolean {
  const middle = middleOf(place);
  const front = windows.find((one) => isShown(one) && contains(one, middle));
  return !isShown(window) ||
    front !== undefined && front.id !== window.id && (front.pid === undefined || front.pid !== window.pid);
}

// The element at a screen position, described so that it is found again after windows have moved or changed.

/**
 * Reads the elements of the front window at a position.
 * @returns undefined if there is no window.
 */
export async function readAt(operator: Operator, point: Point): Promise<WindowElements | undefined> {
  const windows = await listWindows(operator);
  const window = windows.find((one) => isShown(one) && contains(one, point));
  return window && await readIn(operator, window, false);
}

/**
 * The smallest element at a position, and its index among the elements with its role and name.
 * @returns undefined if only the window itself is there.
 */
export function elementAt({ window, elements }: WindowElements, point: Point): RecordedElement | undefined {
  const holding = elements.slice(1).filter((element): element is ListedElement & { place: Region } =>
    element.place !== undefined && contains(element.place, point) && !element.states.includes("hidden")
  );
  const sizeOf = ({ place: { width, height } }: { place: Region }) => width * height;
  // Of two elements of equal size, the inner one comes later in the list.
  const found = holding.reduce<typeof holding[number] | undefined>(
    (best, element) => best && sizeOf(best) < sizeOf(element) ? best : element,
    undefined,
  );
  if (!found) return undefined;
  const { role, name, place } = found, alike = numbered(elements, { role, name, exact: true });
  const nth = alike.indexOf(found) + 1;
  return { role, name, title: window.title, ...(alike.length > 1 ? { nth } : {}), ...place };
}

/** The replacement for a missing element. */
interface StandIn {
  element: ListedElement;
  /** The missing element, its replacement and the rule, in words. */
  told: string;
}

/** Whether an element is a replacement for the missing one. */
type Fits = (element: ListedElement) => boolean;

/**
 * The rules, in order. @param role The missing element's role. @param isNamed Whether a name matches the
 * missing one's.
 */
const RULES: [why: string, fits: (given: Given) => Fits][] = [
  [
    "has the same role, and a name that differs in signs or spaces alone",
    ({ role, isNamed }) => (element) => (role === undefined || element.role === role) && isNamed(element),
  ],
  ["is the field beside the label of this name", ({ role, isNamed, elements }) => {
    const all = fieldsIn(elements);
    const named = new Set(elements.filter(isNamed).map((label) => fieldOf(label, all)));
    return (element) => (role === undefined || element.role === role) && named.has(element);
  }],
  [
    "has the same name, and another role",
    ({ isNamed }) => (element) => !TEXTS.has(element.role) && isNamed(element),
  ],
];

interface Given {
  role: string | undefined;
  isNamed: Fits;
  elements: readonly ListedElement[];
}

/** The letters and digits of a name. */
const bare = (name: string) => name.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/**
 * Finds the replacement for an element that a query does not find. The first rule that matches an element
 * decides. An element without a name, or one of several, has no replacement.
 * @returns undefined if no rule matches.
 * @throws StateError with the elements if the rule matches several.
 * @example
 * const link = { ref: "e1", key: "", role: "link", name: "Sign in", states: [], depth: 1, place: { x: 0, y: 0, width: 9, height: 9 } };
 * standInFor({ role: "button", name: "Sign in" }, [link])?.told; // 'button "Sign in" is not there: link "Sign in" (e1) has the same name, and another role'
 */
export function standInFor(
  { role, name = "", nth = 1 }: ElementQuery,
  all: readonly ListedElement[],
): StandIn | undefined {
  const wanted = bare(name), what = describeElementQuery({ ...(role === undefined ? {} : { role }), name });
  if (!wanted || nth > 1) return undefined;
  const elements = all.filter(({ place, states }) => place !== undefined && !states.includes("hidden"));
  const given = {
    role: role?.toLowerCase(),
    isNamed: ({ name }: ListedElement) => bare(name) === wanted,
    elements,
  };
  for (const [why, fits] of RULES) {
    const [element, ...others] = elements.filter(fits(given));
    if (!element) continue;
    if (!others.length) return { element, told: `${what} is not there: ${describeElement(element)} ${why}` };
    throw new StateError(
      `${what} is not there, and each of ${
        [element, ...others].slice(0, 5).map(describeElement).join(", ")
      } ${why}`,
    );
  }
  return undefined;
}
