/** Waiting before a click: nothing may be clicked for a caller that has left. */

import { InputError } from "../../core/errors.ts";
import type { ActionContext } from "./action.ts";

/** The longest wait before a click for a caller whose leaving cannot be seen, in milliseconds. */
const UNWATCHED_MS = 30_000;

/**
 * Waits for the thing that is to be clicked.
 * @param waitMs The longest wait, in milliseconds.
 * @throws InputError if the wait is too long for a caller whose leaving cannot be seen; the signal's reason if the
 * caller has left.
 */
export async function waitToClick<T>(
  waitMs: number,
  context: ActionContext,
  wait: () => Promise<T>,
): Promise<T> {
  if (waitMs > UNWATCHED_MS && await context.hasLeft() === undefined) {
    throw new InputError(
      `timeout_ms may be at most ${UNWATCHED_MS} with click here: this system does not tell when a client leaves`,
    );
  }
  const found = await wait();
  await context.hasLeft();
  context.signal.throwIfAborted();
  return found;
}
