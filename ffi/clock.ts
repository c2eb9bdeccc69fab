/**
 * Times of a Worker on the scale of the thread that started it. Each thread's `performance` counts from the thread's
 * start, whose time comes from the system's clock. Two threads disagree if that clock was set, or the machine slept,
 * between their starts.
 */

/**
 * Tells how far `performance.timeOrigin + performance.now()` of this thread is ahead of the system's clock, in
 * milliseconds.
 */
export function clockSkew(): number {
  return performance.timeOrigin + performance.now() - Date.now();
}

/**
 * The clock of another thread.
 * @param skew The result of {@linkcode clockSkew} on that thread, at about this time.
 * @returns A function for its `performance.timeOrigin + performance.now()`, within 1 ms and never decreasing.
 */
export function clockOf(skew: number): () => number {
  const origin = performance.timeOrigin - (clockSkew() - skew);
  return () => origin + performance.now();
}
