/** Counts durations in buckets, as Prometheus' histograms have them. */

/** Upper bounds of the buckets, in milliseconds: from an answer out of memory to the longest wait. */
export const BOUNDS_MS: readonly number[] = [
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
  25,
  50,
  100,
  250,
  500,
  1000,
  5000,
  10_000,
];

/** How many durations fell into which bucket. To add one takes some 20 ns. */
export class Histogram {
  /** By bucket, not cumulated; the last one has what is above all bounds. */
  readonly counts = new Float64Array(BOUNDS_MS.length + 1);
  /** Milliseconds of all durations together. */
  sumMs = 0;

  /** @param ms A duration in milliseconds. */
  add(ms: number): void {
    let bucket = 0;
    while (bucket < BOUNDS_MS.length && ms > BOUNDS_MS[bucket]) bucket++;
    this.counts[bucket]++;
    this.sumMs += ms;
  }
}
