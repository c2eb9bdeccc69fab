/** The outcome of a job of the test run. */

/** Numbers of tests by outcome. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** The outcome of a finished job. */
export interface Outcome {
  counts: Counts;
  /** Names of the failed tests, if known. */
  failures: string[];
  /** The whole output, standard output and standard error in order of arrival. */
  output: string;
}

/** Tests that run together: a file, or a few that share a Windows installation. */
export interface Job {
  /** The job's name in the report, such as `tests/core/mutex_test.ts`. */
  name: string;
  /** The command that reruns only this job. */
  again: string;
  /** The job's approximate duration in seconds: the longest jobs start first. */
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
