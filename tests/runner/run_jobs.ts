/** Runs jobs side by side and reports on them. */

import type { Job, Outcome } from "./outcome.ts";
import { Pool } from "./pool.ts";
import { Report } from "./report.ts";

/**
 * Jobs at a time for each processor: most tests wait for other programs more than they work. With more of them, whole
 * desktops that start at once take longer than tests wait.
 */
const JOBS_A_PROCESSOR = 2;

/**
 * Runs jobs as they become ready.
 * @param sources Groups of jobs, each ready once the programs that it needs are prepared.
 * @param verbose Prints the output of jobs also if they passed.
 * @returns The exit code.
 */
export async function runJobs(sources: Promise<Job[]>[], verbose = false): Promise<number> {
  const pool = new Pool(JOBS_A_PROCESSOR * navigator.hardwareConcurrency);
  const report = new Report(verbose);
  await Promise.all(sources.map(async (source) => {
    const jobs = await source.catch((error) => [unprepared(error)]);
    jobs.sort((a, b) => b.seconds - a.seconds); // the first ones start before the others wait
    await Promise.all(jobs.map((job) =>
      pool.run(job.seconds, async () => {
        const start = performance.now();
        const outcome = await job.run().catch(failed);
        report.add(job, outcome, (performance.now() - start) / 1000);
      })
    ));
  }));
  return report.end();
}

/** Makes a job that fails and says why, in place of jobs whose preparation failed. */
function unprepared(error: unknown): Job {
  return {
    name: "preparing tests",
    again: "deno task test",
    seconds: 0,
    run: () => Promise.reject(error),
  };
}

/** The outcome of a job that could not be run at all. */
function failed(error: unknown): Outcome {
  return { counts: { passed: 0, failed: 1, skipped: 0 }, failures: [], output: Deno.inspect(error) };
}
