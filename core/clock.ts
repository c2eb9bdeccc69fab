/** The clock that threads share. */

/** Kept, since the getter takes as long as the rest of {@linkcode now}. */
const ORIGIN = performance.timeOrigin;

/** Now, in milliseconds of `performance.timeOrigin + performance.now()`. */
export function now(): number {
  return ORIGIN + performance.now();
}
