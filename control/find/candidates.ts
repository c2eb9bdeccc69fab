/** Collects the places at which enough of a pattern agrees. */

import type { Size } from "../image/bitmap.ts";
import { bestApart, type MatchPlace, overlapping } from "./place.ts";

/** The most places that are kept until the best are chosen among them. */
const PLACES = 100_000;
/** Shares are quotients of whole numbers: a smaller difference is a rounding error. */
const EPSILON = 1e-9;

/** The places found so far, and how many pixels of a further place may be wrong. */
export class Candidates {
  #places: MatchPlace[] = [];
  #allowed: number;

  /**
   * @param exact Places at which all pixels agree; places that overlap one of them do not count.
   * @param allowed The share of pixels that may be wrong.
   * @param limit How many places are wanted besides the exact ones. With a limit of 1, only a better place than the
   * last one counts.
   */
  constructor(
    readonly size: Size,
    readonly exact: readonly MatchPlace[],
    allowed: number,
    readonly limit: number,
  ) {
    this.#allowed = allowed;
  }

  /** Tells how many of `count` pixels may be wrong now. */
  allowedOf(count: number): number {
    if (count === 0) return 0;
    const isBettered = this.limit === 1 && this.#places.length > 0;
    return isBettered
      ? Math.ceil(count * this.#allowed - EPSILON) - 1
      : Math.floor(count * this.#allowed + EPSILON);
  }

  /** Tells whether there are too many candidates to continue. */
  get isFull(): boolean {
    return this.#places.length >= PLACES;
  }

  /**
   * Adds a place that counts.
   * @returns Whether the number that {@linkcode allowedOf} allows has changed.
   */
  add(place: MatchPlace): boolean {
    if (overlapping(this.exact, place.x, place.y, this.size)) return false;
    if (this.limit > 1) {
      this.#places.push(place);
      return false;
    }
    this.#places = [place];
    this.#allowed = place.loss;
    return true;
  }

  /** The best places that do not overlap, the best first. */
  best(): MatchPlace[] {
    return bestApart(this.#places, this.size, this.limit);
  }
}
