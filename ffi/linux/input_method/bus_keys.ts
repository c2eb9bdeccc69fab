/** Keys that programs pass to an input method over a bus, as modules of GTK and Qt do, and go on. */

import { StateError } from "../../../core/errors.ts";

/** Returns when keys are back. A program looks a key up, or drops it, when the key comes back. */
export interface BusKeys {
  /** Grows with the keys that were seen. */
  readonly calls: number;
  /** Whether the input method has ended, so that no key comes back any more. */
  readonly isLost: boolean;
  /** Whether the keys of a process are seen; undefined stands for a process that is not known. */
  covers(pid: number | undefined): boolean;
  /** Handles messages as they arrive, until the returned function is called; meant for the time of typing a text. */
  stayAwake(): () => void;
  /**
   * Waits until programs have got back every key that they have given. The programs need not have handled the keys by
   * then.
   * @param since The time when the last keys were sent, by `performance.now`.
   * @returns A generator that yields until all keys are back; the caller lets time pass between the steps.
   */
  givenBack(since: number): Generator<void>;
  /** Forgets which programs have given keys: all have handled them. */
  forget(): void;
  close(): void;
}

// Refusals of text while a program or an input method has not handled the keys before.

/** The time that a program or an input method may take to handle keys, in milliseconds. */
export const KEYS_HANDLED_MS = 10_000;

/**
 * Makes the error of keys that are not handled in time.
 * @param who The program or the input method, as in `the input method IBus`.
 */
export function keysNotHandled(who: string): StateError {
  return new StateError(
    `${who} has not processed the earlier keys for ${KEYS_HANDLED_MS / 1000} s, ` +
      "so the text could be garbled",
  );
}
