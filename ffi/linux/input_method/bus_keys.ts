/** Keys that programs pass to an input method over a bus without waiting, as GTK and Qt modules do. */

import { StateError } from "../../../core/errors.ts";

/** Reports when keys have come back. A program looks up a key, or drops it, when the key comes back. */
export interface BusKeys {
  /** Increases with the keys seen. */
  readonly calls: number;
  /** Whether the input method has ended, so that no more keys come back. */
  readonly isLost: boolean;
  /** Whether a process's keys are seen; undefined stands for an unknown process. */
  covers(pid: number | undefined): boolean;
  /**
   * Handles messages as they arrive, until the returned function is called; for the time of typing a text.
   */
  stayAwake(): () => void;
  /**
   * Waits until programs have received back every key that they passed on. The programs need not have handled
   * the keys by then.
   * @param since When the last keys were sent, by `performance.now`.
   * @returns A generator that yields until all keys are back; the caller lets time pass between steps.
   */
  givenBack(since: number): Generator<void>;
  /** Forgets which programs have passed on keys, since all have handled them. */
  forget(): void;
  close(): void;
}

// Refusals of text while a program or an input method has not handled the previous keys.

/** Maximum time for a program or an input method to handle keys, in milliseconds. */
export const KEYS_HANDLED_MS = 10_000;

/**
 * Creates the error for keys that are not handled in time.
 * @param who The program or the input method, as in `the input method IBus`.
 */
export function keysNotHandled(who: string): StateError {
  return new StateError(
    `${who} has not processed the earlier keys for ${KEYS_HANDLED_MS / 1000} s, ` +
      "so the text could be garbled",
  );
}
