/** Waiting with a bound. */

import { delay } from "@std/async/delay";

const PAUSE_MS = 100;

/**
 * Asks again and again until the answer fits or the time is over.
 * @param get Asks; an error of it counts as an answer that does not fit.
 * @param seconds The bound.
 * @returns The last answer, whether it fits or not; undefined if there was none.
 */
export async function waitFor<T>(
  get: () => T | Promise<T>,
  fits: (value: T) => boolean = Boolean,
  seconds = 10,
): Promise<T | undefined> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await Promise.resolve().then(get).catch(() => undefined);
    if (value !== undefined && fits(value) || Date.now() > end) return value;
    await delay(PAUSE_MS);
  }
}

/**
 * Waits as above for a value that must come.
 * @throws Error that names what did not.
 */
export async function mustCome<T>(
  what: string,
  get: () => T | Promise<T>,
  fits: (value: T) => boolean = Boolean,
  seconds = 30,
): Promise<T> {
  const value = await waitFor(get, fits, seconds);
  if (value === undefined || !fits(value)) throw new Error(`${what} within ${seconds} s`);
  return value;
}
