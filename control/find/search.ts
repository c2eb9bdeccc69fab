/** Searches a picture of the screen for a smaller picture. */

import { InputError } from "../../core/errors.ts";
import type { Bitmap } from "../image/bitmap.ts";
import { Budget, Candidates, type MatchPlace, type Pattern, patternOf, type Pixels } from "./pattern.ts";
import { exactPlaces, flatPlaces, sharePlaces } from "./share_pass.ts";
import { LEAST_MATCH, type SearchOptions, type SearchResult } from "./options.ts";

/**
 * Searches for a picture.
 * @returns Places in pixels of `screen`, which may be a part of the real one.
 * @throws InputError if the picture is entirely transparent, or if the search would take too long because the screen
 * looks like the picture nearly everywhere.
 */
export function search(screen: Pixels, picture: Bitmap, options: SearchOptions): SearchResult {
  if (options.grayscale) {
    return search(grayOf(screen), {
      ...picture,
      pixels: grayOf({ ...picture, stride: picture.width }).pixels,
    }, {
      ...options,
      grayscale: false,
    });
  }
  const { tolerance, match, limit, best } = options;
  const rows = screen.height - picture.height + 1, columns = screen.width - picture.width + 1;
  if (rows < 1 || columns < 1) return { places: [] };
  const pattern = patternOf(picture, tolerance);
  if (!pattern.counted.length) throw new InputError("the picture is entirely transparent");
  const places = placesOf(screen, pattern, match, limit);
  if (places.length || !best) return { places };
  const [nearest] = inexactPlaces(screen, pattern, new Candidates(pattern, [], 1 - LEAST_MATCH, 1)).places;
  return nearest ? { places, best: nearest } : { places };
}

/** A picture in shades of gray: the luma of ITU-R BT.601, as OpenCV and Pillow convert. */
function grayOf({ width, height, stride, pixels }: Pixels): Pixels & Pick<Bitmap, "pixels"> {
  const gray = new Uint32Array(width * height);
  for (let y = 0, at = 0; y < height; y++) {
    for (let from = y * stride, end = from + width; from < end; from++) {
      const color = pixels[from];
      const red = color >> 16 & 255, green = color >> 8 & 255, blue = color & 255;
      gray[at++] = Math.floor((299 * red + 587 * green + 114 * blue) / 1000) * 0x10101;
    }
  }
  return { width, height, stride: width, pixels: gray };
}

function placesOf(screen: Pixels, pattern: Pattern, match: number, limit: number): MatchPlace[] {
  const budget = new Budget(screen);
  const exact = exactPlaces(screen, pattern, limit, budget);
  if (budget.isSpent) throw tooAlike();
  if (match === 1 || exact.length === limit) return exact;
  const candidates = new Candidates(pattern, exact, 1 - match, limit - exact.length);
  const { places, isWhole } = inexactPlaces(screen, pattern, candidates);
  if (!isWhole) throw tooAlike();
  return [...exact, ...places];
}

/** Places at which a share agrees, and whether the whole screen was searched. */
function inexactPlaces(screen: Pixels, pattern: Pattern, candidates: Candidates) {
  const budget = new Budget(screen);
  if (pattern.flat === undefined) sharePlaces(screen, pattern, candidates, budget);
  else flatPlaces(screen, pattern, pattern.flat, candidates);
  return { places: candidates.best(), isWhole: !budget.isSpent && !candidates.isFull };
}

function tooAlike(): InputError {
  return new InputError(
    "nearly all of the screen matches the picture: use a larger or more distinctive one, give a region, or raise match",
  );
}
