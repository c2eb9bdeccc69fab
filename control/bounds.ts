/** Checks places and regions against the desktop. */

import { InputError, StateError } from "../core/errors.ts";
import { contains, type Desktop, type Point, type Region } from "./desktop.ts";

/**
 * Checks that a place is on the desktop.
 * @param screen All displays together.
 * @param prefix What stands before the coordinate's name in messages (`from.`).
 * @throws InputError naming the coordinate and its range.
 */
export function checkPoint(screen: Region, point: Point, prefix = ""): void {
  if (contains(screen, point)) return;
  checkRange(`${prefix}x`, point.x, screen.x, screen.x + screen.width - 1);
  checkRange(`${prefix}y`, point.y, screen.y, screen.y + screen.height - 1);
}

/**
 * Completes a region to the desktop's edges.
 * @param screen All displays together.
 * @param partial The region; a field that is left out reaches to the edge.
 * @throws InputError naming the field that leaves the desktop and the range allowed.
 * @example
 * completeRegion({ x: 0, y: 0, width: 1280, height: 720 }, { x: 100 }); // { x: 100, y: 0, width: 1180, height: 720 }
 */
export function completeRegion(screen: Region, partial: Partial<Region>): Region {
  const x = partial.x ?? screen.x, y = partial.y ?? screen.y;
  const right = screen.x + screen.width, bottom = screen.y + screen.height;
  checkRange("x", x, screen.x, right - 1);
  checkRange("y", y, screen.y, bottom - 1);
  const { width = right - x, height = bottom - y } = partial;
  checkRange("width", width, 1, right - x);
  checkRange("height", height, 1, bottom - y);
  return { x, y, width, height };
}

function checkRange(name: string, value: number, minimum: number, maximum: number): void {
  if (value < minimum || value > maximum) {
    throw new InputError(`${name} must be from ${minimum} to ${maximum} (the desktop), not ${value}`);
  }
}

/**
 * Checks that a move brought the pointer to a place, so that a press cannot hit another place.
 * @throws StateError with the place where the pointer is instead.
 */
export function checkArrival({ pointer }: Pick<Desktop, "pointer">, point: Point): void {
  const place = pointer.elsewhere?.(point);
  if (!place) return;
  throw new StateError(
    `the pointer did not get to ${point.x},${point.y}: it is at ${place.x},${place.y}, since no monitor shows that ` +
      "place or a program keeps the pointer. Nothing was pressed",
  );
}
