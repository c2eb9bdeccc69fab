/**
 * Waiting for elements that move: an element that is seen at the same place twice, some time apart, counts as resting.
 */

import { delay } from "@std/async/delay";
import { isSameRegion, type Region, type WindowInfo } from "../desktop.ts";
import type { Operator } from "../operator.ts";
import { type ElementPlace, middleOf } from "./reaching.ts";
import { lastListed, rereadElement } from "./reading.ts";

/** Time between two looks, in milliseconds: longer than a picture of the screen is shown. */
const LOOK_MS = 25;

/**
 * Waits until an element rests: at its listed place for a short time, or at another place for a longer time.
 * @param ms How long the element may take to come to rest, in milliseconds.
 * @returns The element at rest; undefined if it still moves.
 */
export async function comesToRest(
  operator: Operator,
  { window, element }: ElementPlace,
  signal: AbortSignal,
  ms: number,
): Promise<ElementPlace | undefined> {
  const end = performance.now() + ms;
  const listed = lastListed(operator, element.ref), isOld = performance.now() - listed.seenAt >= LOOK_MS;
  let last = placeIn(window, element.place!), still = isOld && isSame(listed.place, last) ? 1 : 0;
  for (;;) {
    await delay(LOOK_MS, { signal });
    const now = await rereadElement(operator, element.ref);
    if (!now.element.place) return undefined;
    const place = placeIn(now.window, now.element.place);
    still = isSame(last, place) ? still + 1 : 0;
    if (still >= 2) return { ...now, point: middleOf(now.element) };
    if (!still && performance.now() >= end) return undefined;
    last = place;
  }
}

/** A place in a window that may itself have moved. */
export function placeIn(window: WindowInfo, { x, y, width, height }: Region): Region {
  return { x: x - window.x, y: y - window.y, width, height };
}

function isSame(one: Region | undefined, other: Region): boolean {
  return one !== undefined && isSameRegion(one, other);
}
