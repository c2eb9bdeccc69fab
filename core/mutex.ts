/** Mutual exclusion: one action at a time, in the order of arrival. */

import { BusyError } from "./errors.ts";

/** The caller that waits for a turn. */
export interface Waiter {
  /**
   * A signal that is aborted when the turn is no longer wanted. Only a queued call reads this property, since to make
   * the signal of a request takes 8 us.
   */
  readonly signal: AbortSignal;
  /** @throws The reason if the call was ended meanwhile; left out by a caller whose calls end by their signal alone. */
  check?(): void;
}

/**
 * A caller that is known by its signal, and that runs nothing once the signal is aborted.
 * @example
 * await mutex.run(() => move(point), { waiter: waiterOf(signal) });
 */
export function waiterOf(signal: AbortSignal): Waiter {
  return { signal, check: () => signal.throwIfAborted() };
}

/** The options of an action's wait for its turn. */
interface TurnOptions {
  /** Waits even if the queue is full: for actions that must not be refused, such as a release. */
  unbounded?: boolean;
  /** A signal that takes the caller out of the queue when it is aborted; the action stays if left out. */
  waiter?: Waiter;
}

/** Runs actions one after the other. */
export class Mutex {
  readonly #waiting: (() => void)[] = [];
  #locked = false;
  /** The time of earlier actions, and when the present ones began, in milliseconds. */
  #busy = { ms: 0, since: 0 };

  /**
   * @param maxQueue The number of actions that may wait; a further action is refused.
   * @param busyMessage The message for a refused caller.
   */
  constructor(readonly maxQueue: number, readonly busyMessage: string) {}

  /** Whether an action runs. */
  get isTaken(): boolean {
    return this.#locked;
  }

  /** The time in which actions ran, in milliseconds. */
  get busyMs(): number {
    return this.#busy.ms + (this.#locked ? performance.now() - this.#busy.since : 0);
  }

  /** The number of actions that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs an action when the actions before it have ended. If no action runs, this one begins before `run` returns.
   * @returns What the action returns.
   * @throws BusyError if too many actions wait; the reason of the waiter's signal; the action's errors.
   * @example
   * const mutex = new Mutex(10, "too many wait");
   * await mutex.run(() => move(point), { waiter: request }); // does not move if the request is aborted in the queue
   */
  async run<T>(action: () => T | Promise<T>, { unbounded, waiter }: TurnOptions = {}): Promise<T> {
    if (this.#locked) {
      if (!unbounded && this.#waiting.length >= this.maxQueue) throw new BusyError(this.busyMessage);
      await this.#turn(waiter?.signal);
    } else {
      this.#locked = true;
      this.#busy.since = performance.now();
    }
    try {
      return await action();
    } finally {
      // Hands the lock to the next caller in line; the lock is never free in between, so no newcomer can take it.
      const next = this.#waiting.shift();
      if (next) next();
      else {
        this.#busy.ms = this.busyMs;
        this.#locked = false;
      }
    }
  }

  /** Waits for the turn. @throws The reason of the signal, if it is aborted before. */
  async #turn(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      const place = this.#waiting.indexOf(resolve);
      if (place < 0) return; // the caller has the lock already
      this.#waiting.splice(place, 1);
      reject(signal!.reason);
    };
    this.#waiting.push(resolve);
    signal?.addEventListener("abort", leave);
    await promise.finally(() => signal?.removeEventListener("abort", leave));
  }
}
