/** The outcome of a job of the test run. */

/** The numbers of tests by their outcome. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** A job that has ended. */
export interface Outcome {
  counts: Counts;
  /** Names of the tests that failed, as far as they are known. */
  failures: string[];
  /** The whole output, standard output and standard error in the order of arrival. */
  output: string;
}

/** Tests that run together: a file, or a few that share a Windows. */
export interface Job {
  /** The job's name in the report, such as `tests/core/mutex_test.ts`. */
  name: string;
  /** The command that repeats the job alone. */
  again: string;
  /** Seconds that the job takes, roughly: the longest jobs start first. */
  seconds: number;
  run(): Promise<Outcome>;
}

/** Adds counts up. */
export function sum(counts: Iterable<Counts>): Counts {
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of counts) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}
