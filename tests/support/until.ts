/** Waiting for states that come by themselves, for as long as a busy machine may take. */

import { delay } from "@std/async/delay";
import { patienceMs, progress } from "./waits.ts";

/** The pause after the first look; each is longer than the one before, so that a long wait takes no time from others. */
const FIRST_PAUSE_MS = 5, LONGEST_PAUSE_MS = 100;

/**
 * Asks again and again until the answer fits.
 * @param get Asks.
 * @param fits Tells whether an answer is the awaited one.
 * @param describe Describes the fault of the last answer if none fits in time.
 * @returns The answer that fits.
 * @throws Error with that description after {@linkcode patienceMs}; what `get` throws.
 */
export async function until<T>(
  get: () => T | Promise<T>,
  fits: (value: T) => boolean = Boolean,
  describe: (value: T) => string = (value) => `it stayed ${Deno.inspect(value).slice(-2000)}`,
): Promise<T> {
  progress();
  for (let start = Date.now(), pause = FIRST_PAUSE_MS;; pause = Math.min(1.5 * pause, LONGEST_PAUSE_MS)) {
    const value = await get();
    if (fits(value)) {
      progress();
      return value;
    }
    if (Date.now() - start > patienceMs()) throw new Error(describe(value));
    await delay(pause);
  }
}
