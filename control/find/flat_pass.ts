/**
 * Finds the places of a pattern of one colour. Samples rule out few of them, since most pixels of a page of text are
 * white like the picture. But how many pixels of a place are wrong follows from its neighbour's, so that every pixel
 * of the screen is compared only twice.
 */

import type { Candidates } from "./candidates.ts";
import type { Pattern } from "./pattern.ts";
import { near, type Pixels } from "./pixels.ts";

/**
 * Looks at every place of a pattern of one colour.
 * @param color The colour.
 * @param candidates Gets the places that count.
 */
export function flatPlaces(screen: Pixels, pattern: Pattern, color: number, candidates: Candidates): void {
  const { width, height } = pattern, size = width * height;
  const rows = screen.height - height + 1, columns = screen.width - width + 1;
  // Of each column, the wrong pixels in the rows of the present place.
  const wrong = new Int32Array(screen.width);
  for (let y = 0; y < height - 1; y++) count(screen, y, color, pattern.tolerance, 1, wrong);
  for (let y = 0; y < rows; y++) {
    count(screen, y + height - 1, color, pattern.tolerance, 1, wrong);
    let sum = 0;
    for (let x = 0; x < width - 1; x++) sum += wrong[x];
    let allowed = candidates.allowedOf(size);
    for (let x = 0; x < columns; x++) {
      sum += wrong[x + width - 1];
      if (sum <= allowed && candidates.add({ x, y, loss: sum / size })) allowed = candidates.allowedOf(size);
      sum -= wrong[x];
    }
    if (candidates.isFull) return;
    count(screen, y, color, pattern.tolerance, -1, wrong);
  }
}

/** Adds to each column `step` if its pixel of a row is wrong. */
function count(
  { pixels, stride, width }: Pixels,
  y: number,
  color: number,
  tolerance: number,
  step: number,
  wrong: Int32Array,
): void {
  for (let x = 0, at = y * stride; x < width; x++, at++) {
    wrong[x] += step * (1 - near(pixels[at], color, tolerance));
  }
}
