/** The lateness of a replay's actions. */

import type { PlaybackOutcome } from "../desktop.ts";

/** The part of a replay's outcome that tells how late its actions were. */
export type LatenessSummary = Pick<
  PlaybackOutcome,
  "meanLatenessMs" | "medianLatenessMs" | "p99LatenessMs" | "maxLatenessMs"
>;

/** The lateness of no actions. */
export const NO_LATENESS: LatenessSummary = {
  meanLatenessMs: 0,
  medianLatenessMs: 0,
  p99LatenessMs: 0,
  maxLatenessMs: 0,
};

/** Latenesses that are kept: 0.5 MB, sorted in 5 ms, which a replay on the thread that serves must not exceed. */
const KEPT = 65_536;

/** Sums up lateness in bounded memory, however many actions there are. */
export class Lateness {
  readonly #kept = new Float64Array(KEPT);
  #count = 0;
  #total = 0;
  #max = 0;

  /** @param random From 0 to below 1. */
  constructor(readonly random: () => number = Math.random) {}

  /** Adds an action's, in milliseconds. */
  add(ms: number): void {
    // Reservoir sampling (Vitter's algorithm R): each action has the same chance to be among those that are kept.
    const slot = this.#count < KEPT ? this.#count : Math.floor(this.random() * (this.#count + 1));
    if (slot < KEPT) this.#kept[slot] = ms;
    this.#count++;
    this.#total += ms;
    this.#max = Math.max(this.#max, ms);
  }

  /** Mean and maximum are exact; median and 99th percentile are exact up to 65,536 actions, and estimates beyond. */
  summary(): LatenessSummary {
    const sorted = this.#kept.slice(0, this.#count).sort();
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    return {
      meanLatenessMs: this.#count ? this.#total / this.#count : 0,
      medianLatenessMs: at(0.5),
      p99LatenessMs: at(0.99),
      maxLatenessMs: this.#max,
    };
  }
}
