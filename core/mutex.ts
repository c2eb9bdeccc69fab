/** Mutual exclusion: one action at a time, in order of arrival. */

import { BusyError } from "./errors.ts";

/** A caller waiting for its turn. */
export interface Waiter {
  /**
   * A signal aborted when the turn is no longer wanted. Only a queued call reads this property, because
   * creating a request's signal takes 8 us.
   */
  readonly signal: AbortSignal;
  /**
   * @throws The reason if the call has been cancelled; omitted by callers whose calls only end through their
   * signal.
   */
  check?(): void;
}

/**
 * A caller identified by its signal, which runs nothing once the signal is aborted.
 * @example
 * await mutex.run(() => move(point), { waiter: waiterOf(signal) });
 */
export function waiterOf(signal: AbortSignal): Waiter {
  return { signal, check: () => signal.throwIfAborted() };
}

/** Options for waiting for a turn. */
interface TurnOptions {
  /** Whether to wait even if the queue is full: for actions that must not be refused, such as a release. */
  unbounded?: boolean;
  /** Whether to have the next turn, before all queued actions; implies `unbounded`. */
  isNext?: boolean;
  /** A caller whose aborted signal removes it from the queue; without one, the action stays queued. */
  waiter?: Waiter;
}

/** Runs actions one after the other. */
export class Mutex {
  readonly #waiting: (() => void)[] = [];
  #locked = false;
  /** Total duration of earlier actions, and when the current ones began, in milliseconds. */
  #busy = { ms: 0, since: 0 };

  /**
   * @param maxQueue Maximum number of queued actions; further ones are refused.
   * @param busyMessage The message for a refused caller.
   */
  constructor(readonly maxQueue: number, readonly busyMessage: string) {}

  /** Whether an action is running. */
  get isTaken(): boolean {
    return this.#locked;
  }

  /** Total time during which actions have run, in milliseconds. */
  get busyMs(): number {
    return this.#busy.ms + (this.#locked ? performance.now() - this.#busy.since : 0);
  }

  /** Number of queued actions. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /**
   * Runs an action once the actions before it have ended. If none is running, this one begins before `run`
   * returns.
   * @returns The action's result.
   * @throws BusyError if too many actions are queued; the reason of the waiter's signal; the action's errors.
   * @example
   * const mutex = new Mutex(10, "too many wait");
   * await mutex.run(() => move(point), { waiter: request }); // does not move if the request is aborted in the queue
   */
  async run<T>(action: () => T | Promise<T>, { unbounded, isNext, waiter }: TurnOptions = {}): Promise<T> {
    if (this.#locked) {
      if (!unbounded && !isNext && this.#waiting.length >= this.maxQueue) {
        throw new BusyError(this.busyMessage);
      }
      await this.#turn(waiter?.signal, isNext);
    } else {
      this.#locked = true;
      this.#busy.since = performance.now();
    }
    try {
      return await action();
    } finally {
      // Hands the lock to the next caller in line; it is never free in between, so no newcomer can take it.
      const next = this.#waiting.shift();
      if (next) next();
      else {
        this.#busy.ms = this.busyMs;
        this.#locked = false;
      }
    }
  }

  /** Waits for the turn. @throws The signal's reason if it is aborted first. */
  async #turn(signal?: AbortSignal, isNext = false): Promise<void> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      const place = this.#waiting.indexOf(resolve);
      if (place < 0) return; // the caller already holds the lock
      this.#waiting.splice(place, 1);
      reject(signal!.reason);
    };
    if (isNext) this.#waiting.unshift(resolve);
    else this.#waiting.push(resolve);
    signal?.addEventListener("abort", leave);
    await promise.finally(() => signal?.removeEventListener("abort", leave));
  }
}
