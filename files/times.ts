/** Times of files, which may be outside of the range of a Date (ECMAScript section 21.4.1.1: 100,000,000 days). */

/** Milliseconds since 1970; 0 if the system has no time, or one outside of that range. */
export function millisecondsOf(time: Date | null): number {
  return time?.getTime() || 0; // NaN outside of the range
}

/** The time; null if it is outside of that range. */
export function dateOrNull(time: Date | null): Date | null {
  return time && Number.isNaN(time.getTime()) ? null : time;
}
