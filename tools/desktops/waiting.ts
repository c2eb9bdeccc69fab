/** Waits with a time limit. */

import { delay } from "@std/async/delay";

const PAUSE_MS = 100;

/**
 * Polls until the value matches or the time is up.
 * @param get Returns the value; an error counts as a value that does not match.
 * @param seconds The time limit.
 * @returns The last value, whether it matches or not; undefined if there was none.
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
 * Waits as above for a value that must match.
 * @throws Error that says what did not happen.
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
