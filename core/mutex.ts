/** Mutual exclusion: one action at a time, in the order of arrival. */

import { BusyError } from "./errors.ts";

/** Runs actions one after the other. */
export class Mutex {
  readonly #waiting: (() => void)[] = [];
  #locked = false;

  /**
   * @param maxQueue How many actions may wait; one more is refused.
   * @param busyMessage What the refused caller reads.
   */
  constructor(readonly maxQueue: number, readonly busyMessage: string) {}

  /**
   * Runs an action when those before it have ended. It begins before `run` returns if none runs.
   * @param options.unbounded Waits however many do, for what must not be refused, such as a release.
   * @returns What the action returns.
   * @throws BusyError if too many wait; what the action throws.
   */
  async run<T>(action: () => T | Promise<T>, options: { unbounded?: boolean } = {}): Promise<T> {
    if (this.#locked) {
      if (!options.unbounded && this.#waiting.length >= this.maxQueue) throw new BusyError(this.busyMessage);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#locked = true;
    try {
      return await action();
    } finally {
      // The next in line takes the lock over: it is never free in between, when a newcomer could take it.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#locked = false;
    }
  }
}
