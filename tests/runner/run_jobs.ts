/** Runs jobs concurrently and reports on them. */

import type { Job, Outcome } from "./outcome.ts";
import { Pool } from "./pool.ts";
import { Report } from "./report.ts";

/**
 * Jobs at the same time per processor: most tests wait for other programs more than they work. With more,
 * whole desktops that start at the same time take longer than tests wait, so more run only while processors
 * are idle.
 */
const JOBS_A_PROCESSOR = { usual: 2, most: 4 };

/**
 * Runs jobs as they become ready.
 * @param sources Groups of jobs, each ready once the programs that it needs are prepared.
 * @param verbose Whether to also print the output of passed jobs.
 * @returns The exit code.
 */
export async function runJobs(sources: Promise<Job[]>[], verbose = false): Promise<number> {
  const processors = navigator.hardwareConcurrency, { usual, most } = JOBS_A_PROCESSOR;
  const pool = new Pool({ limit: usual * processors, most: most * processors });
  const report = new Report(verbose);
  await Promise.all(sources.map(async (source) => {
    const jobs = await source.catch((error) => [unprepared(error)]);
    jobs.sort((a, b) => b.seconds - a.seconds); // the first ones start before others are queued
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

/** A job that fails and says why, replacing jobs whose preparation failed. */
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
