/** The element at a place of the screen, in words that find it again after windows moved or looked otherwise. */

import type { RecordedElement } from "../input.ts";
import { contains, type Point, type Region } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { listWindows } from "../windows/list.ts";
import { matchingElements } from "./query.ts";
import { type ListedElement, readIn, type WindowElements } from "./reading.ts";

/**
 * Reads the elements of the front window at a place.
 * @returns undefined if there is no window.
 */
export async function readAt(operator: Operator, point: Point): Promise<WindowElements | undefined> {
  const windows = await listWindows(operator);
  const window = windows.find((one) => one.state !== "minimized" && contains(one, point));
  return window && await readIn(operator, window, false);
}

/**
 * The smallest element that contains a place, and its number among the elements of its role and name.
 * @returns undefined if no element but the window contains the place.
 */
export function elementAt({ window, elements }: WindowElements, point: Point): RecordedElement | undefined {
  const holding = elements.slice(1).filter((element): element is ListedElement & { place: Region } =>
    element.place !== undefined && contains(element.place, point) && !element.states.includes("hidden")
  );
  const sizeOf = ({ place: { width, height } }: { place: Region }) => width * height;
  // Of two elements of one size, the inner one comes later in the list.
  const found = holding.reduce<typeof holding[number] | undefined>(
    (best, element) => best && sizeOf(best) < sizeOf(element) ? best : element,
    undefined,
  );
  if (!found) return undefined;
  const { role, name, place } = found, alike = matchingElements(elements, { role, name, exact: true });
  const nth = alike.indexOf(found) + 1;
  return { role, name, title: window.title, ...(alike.length > 1 ? { nth } : {}), ...place };
}
