/** Bounds the work of one search. */

import type { Size } from "../image/bitmap.ts";

/** Pixels of the pattern that may be compared, for each pixel of the screen. */
const STEPS_A_PIXEL = 256;

/** Counts the pixels that a search compares. */
export class Budget {
  #left: number;

  /** @param screen The region that is searched. */
  constructor({ width, height }: Size) {
    this.#left = width * height * STEPS_A_PIXEL;
  }

  /** Tells whether the whole budget is spent: the search must end without a result. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** @param steps The number of compared pixels. */
  spend(steps: number): void {
    this.#left -= steps;
  }
}
