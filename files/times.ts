/** Times of files, which may be outside of the range of a Date (ECMAScript section 21.4.1.1: 100,000,000 days). */

/** Milliseconds since 1970; 0 if the system has no time, or a time outside of JavaScript's range. */
export function millisecondsOf(time: Date | null): number {
  return time?.getTime() || 0; // NaN outside of the range
}

/** Milliseconds since 1970; null if the system has no time, or a time outside of JavaScript's range. */
export function millisecondsOrNull(time: Date | null): number | null {
  const milliseconds = time?.getTime() ?? NaN;
  return Number.isNaN(milliseconds) ? null : milliseconds;
}
