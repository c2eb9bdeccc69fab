/** Refusals of text while a program or an input method has not handled the keys before. */

import { StateError } from "../../../core/errors.ts";

/** The time that a program or an input method may take to handle keys, in milliseconds. */
export const KEYS_HANDLED_MS = 10_000;

/**
 * Makes the error of keys that are not handled in time.
 * @param who The program or the input method, as in `the input method IBus`.
 */
export function keysNotHandled(who: string): StateError {
  return new StateError(
    `${who} has not handled the keys that were typed before for ${KEYS_HANDLED_MS / 1000} s, ` +
      "and would take other characters for them",
  );
}
