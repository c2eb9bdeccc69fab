/**
 * Times of a Worker on the scale of the thread that started it. Each thread counts from its own beginning, which it
 * takes from the system's clock; since the other one began, that may have been set, and the machine have slept.
 */

/** How far `performance.timeOrigin + performance.now()` of this thread is ahead of the system's clock, ms. */
export function clockSkew(): number {
  return performance.timeOrigin + performance.now() - Date.now();
}

/**
 * The clock of another thread.
 * @param skew What {@linkcode clockSkew} gives there, at about this time.
 * @returns Tells its `performance.timeOrigin + performance.now()`, within 1 ms and without ever going back.
 */
export function clockOf(skew: number): () => number {
  const origin = performance.timeOrigin - (clockSkew() - skew);
  return () => origin + performance.now();
}
