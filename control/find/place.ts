/** Places at which a pattern was found. */

import type { Size } from "../image/bitmap.ts";

/** A place, by its left upper pixel. */
export interface MatchPlace {
  x: number;
  y: number;
  /** The share of pixels that do not agree, 0 to 1. */
  loss: number;
}

/** Finds the last of several places that a pattern of this size at `x`, `y` would overlap. */
export function overlapping(
  places: readonly MatchPlace[],
  x: number,
  y: number,
  size: Size,
): MatchPlace | undefined {
  return places.findLast((place) =>
    Math.abs(place.x - x) < size.width && Math.abs(place.y - y) < size.height
  );
}

/**
 * The best places that overlap neither each other nor a better place; of equally good places, the first in reading
 * order.
 * @param limit The most places.
 */
export function bestApart(places: readonly MatchPlace[], size: Size, limit: number): MatchPlace[] {
  const sorted = places.toSorted((a, b) => a.loss - b.loss || a.y - b.y || a.x - b.x);
  const kept: MatchPlace[] = [];
  for (const place of sorted) {
    if (kept.length === limit) break;
    if (!overlapping(kept, place.x, place.y, size)) kept.push(place);
  }
  return kept;
}
