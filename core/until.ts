/** A wait for a state that nothing reports. */

import { delay } from "@std/async/delay";

/** The bounds of a wait. */
export interface UntilOptions {
  /** The longest wait, in milliseconds. */
  ms: number;
  /** The time between two checks, in milliseconds. */
  every: number;
  /** Ends the wait, which then rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A result of a check that ends the wait. */
type Reached<T> = Exclude<T, false | null | undefined>;

/**
 * Repeats a check until it succeeds: at once, then at intervals, and once more when the time is over.
 * @param check Fails by returning false, null or undefined; what it throws ends the wait.
 * @returns The check's result; undefined when the time was over.
 * @example
 * let looks = 0;
 * await until(() => ++looks === 3 && "seen", { ms: 1000, every: 1 }); // "seen"
 */
export async function until<T>(
  check: () => T | Promise<T>,
  { ms, every, signal }: UntilOptions,
): Promise<Reached<T> | undefined> {
  for (const end = performance.now() + ms;;) {
    const result = await check();
    if (result !== false && result !== null && result !== undefined) return result as Reached<T>;
    const left = end - performance.now();
    if (left <= 0) return undefined;
    await delay(Math.ceil(Math.min(every, left)), { signal }); // setTimeout cuts fractions off
  }
}
