/** Tells whether programs react. */

import type { Libraries } from "./libraries.ts";

const WM_NULL = 0;
const SMTO_ABORTIFHUNG = 2;

/**
 * Tells whether the program of a window answers a message without effect (SendMessageTimeoutW), without blocking this
 * thread.
 * @param ms How long the program may take, in milliseconds.
 */
export async function isResponsive(
  user32: Libraries["user32"],
  window: bigint,
  ms: number,
): Promise<boolean> {
  return await user32.SendMessageTimeoutW(window, WM_NULL, 0n, 0n, SMTO_ABORTIFHUNG, ms, null) !== 0n;
}
