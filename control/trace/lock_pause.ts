/** Pauses a trace while the screen is locked, since the input there is a password. */

import type { ScreenLock } from "../desktop.ts";

/** The reason of a pause by the lock of the screen, as its entry has it. */
const LOCKED = "the screen is locked";

/** A trace that can pause. */
interface Pausable {
  readonly isPaused: boolean;
  /** The reason of the pause; a caller's pause has none. */
  readonly pausedFor?: string;
  pause(why: string): void;
  resume(): void;
}

/**
 * Pauses a trace whenever the screen is locked, and resumes it afterwards, unless a caller has paused it too.
 * @param lock The screen's lock; left out if the desktop does not report it.
 * @param changed Called after each pause and resumption.
 * @returns A function that ends the watch.
 */
export function pauseWhileLocked(
  trace: Pausable,
  lock: ScreenLock | undefined,
  changed: () => void,
): () => void {
  const end = lock?.watch((isLocked) => {
    if (isLocked ? trace.isPaused : trace.pausedFor !== LOCKED) return;
    if (isLocked) trace.pause(LOCKED);
    else trace.resume();
    changed();
  });
  return () => end?.();
}
