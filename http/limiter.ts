/**
 * Counts wrong secrets by caller, so that whoever sends too many is told to wait, and nobody else is. What that is good
 * for is up to who asks: a secret that cannot be guessed may be looked at all the same, a password may not.
 */

import { networkOf } from "./host.ts";

/** Wrong secrets that a caller may send within {@linkcode WINDOW_MS}. */
const ALLOWED = 10;
const WINDOW_MS = 60_000;
/** Callers remembered at most; the ones seen longest ago are forgotten first. */
const CALLERS = 10_000;

/** See the module's comment. Memory is bounded. */
export class AttemptLimiter {
  readonly #attempts = new Map<string, { count: number; until: number }>();

  /** @param now Milliseconds, never less than before. */
  constructor(readonly now: () => number = () => performance.now()) {}

  /**
   * Tells whether a caller is to wait.
   * @param address Where it asks from.
   * @returns Seconds, 1 or more, if it sent as many wrong secrets as it may; undefined otherwise.
   */
  wait(address: string): number | undefined {
    if (!this.#attempts.size) return undefined;
    const now = this.now();
    const entry = this.#attempts.get(networkOf(address));
    return entry && entry.until > now && entry.count >= ALLOWED ? secondsTo(entry.until, now) : undefined;
  }

  /**
   * Notes a wrong secret.
   * @param address Where it came from.
   * @returns Seconds to wait, 1 or more, if there were too many; undefined otherwise.
   */
  failed(address: string): number | undefined {
    const now = this.now();
    const caller = networkOf(address);
    const known = this.#attempts.get(caller);
    const entry = known && known.until > now ? known : { count: 0, until: now + WINDOW_MS };
    entry.count++;
    this.#attempts.delete(caller);
    this.#attempts.set(caller, entry);
    if (this.#attempts.size > CALLERS) this.#attempts.delete(this.#attempts.keys().next().value!);
    return entry.count > ALLOWED ? secondsTo(entry.until, now) : undefined;
  }
}

function secondsTo(until: number, now: number): number {
  return Math.ceil((until - now) / 1000);
}
