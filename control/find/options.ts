/** Options and results of a search. */

import type { MatchPlace } from "./pattern.ts";

/** The least share that can be asked for. */
export const LEAST_MATCH = 0.5;

/** The largest file of a picture to find, in bytes. */
export const PICTURE_FILE_LIMIT = 16 * 1024 * 1024;

/** The options of a search for a picture. */
export interface SearchOptions {
  /** The difference that each of red, green and blue of a pixel may have, 0 to 255. */
  tolerance: number;
  /**
   * The share of pixels that must agree, {@linkcode LEAST_MATCH} to 1: of all pixels, and of those that differ from
   * the picture's most frequent colour. If only the share of all pixels counted, an empty area would agree with a
   * button in all but its label. Pixels whose alpha is below 128 do not count.
   */
  match: number;
  /** The most places that the search returns. */
  limit: number;
  /** Whether brightness alone is compared; colours if left out. */
  grayscale?: boolean;
  /** Whether the best place is wanted even if it does not agree enough. */
  best: boolean;
}

/** The result of a search. */
export interface SearchResult {
  /** The found places, the best first; equally good places are in reading order. No two places overlap. */
  places: MatchPlace[];
  /** The place that agrees most: only on request, where `places` is empty, and if at least half of its pixels agree. */
  best?: MatchPlace;
}
