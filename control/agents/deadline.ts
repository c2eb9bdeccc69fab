/** The end of a call in time: a limit that all calls have, and the time that a call asks for itself. */

import { TimeLimitError } from "../../core/errors.ts";

/** The longest time that one call may ask for, in milliseconds: the models' own tools hold keys and wait up to 300 s. */
export const LONGEST_OWN_MS = 300_000;

/** Ends a call by its signal when the time is over. Dispose it when the call has ended. */
export class Deadline implements Disposable {
  readonly #start = performance.now();
  readonly #ending = new AbortController();
  #ownMs = 0;
  #timer!: ReturnType<typeof setTimeout>;

  /**
   * @param limitMs The limit of a call, in milliseconds, without the time that the call asks for.
   */
  constructor(readonly limitMs: number) {
    this.#begin();
  }

  /** A signal that is aborted with a TimeLimitError when the time is over. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The time until the end, in milliseconds. */
  get leftMs(): number {
    return this.#start + this.#allMs - performance.now();
  }

  get #allMs(): number {
    return this.limitMs + this.#ownMs;
  }

  /**
   * Moves the end by time that the call asks for.
   * @param ms In milliseconds; of all that one call asks for at most {@linkcode LONGEST_OWN_MS} counts.
   */
  extend(ms: number): void {
    if (!ms) return;
    this.#ownMs = Math.min(LONGEST_OWN_MS, this.#ownMs + ms);
    clearTimeout(this.#timer);
    this.#begin();
  }

  #begin(): void {
    const late = () => new TimeLimitError(`the call was ended after ${this.#allMs / 1000} s`);
    this.#timer = setTimeout(() => this.#ending.abort(late()), Math.max(0, this.leftMs));
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
