/** The clock that threads share. */

/** Now, in milliseconds of `performance.timeOrigin + performance.now()`. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
