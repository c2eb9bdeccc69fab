/**
 * Installs the programs that the tests need, and runs the tests: the task `deno task test`. Without arguments it runs
 * all of them, many at a time; with arguments it hands them to `deno test` (files, `--filter`).
 *
 * The last line is `N passed, N failed, N skipped`; the exit code is 1 if anything failed.
 */

import { builtExecutable, cannotBuild } from "./compiled/stand_in.ts";
import { secondsOf } from "./runner/durations.ts";
import { fetchPackages, testAsAsked, testFile, testFiles } from "./runner/test_files.ts";
import type { Job } from "./runner/outcome.ts";
import { countsText } from "./runner/report.ts";
import { runJobs } from "./runner/run_jobs.ts";
import { installPackages } from "./support/packages.ts";
import { windowsJobs } from "./windows/run.ts";

/** Tells whether a file tests the executable, which is built once before. */
const isCompiled = (file: string) => file.startsWith("tests/compiled/");

function jobsOf(files: string[]): Job[] {
  return files.map((file) => testFile(file, secondsOf(file)));
}

/** The jobs of the executable's tests, once it is built. If that fails, each of them tells why. */
async function compiledJobs(files: string[]): Promise<Job[]> {
  if (!await cannotBuild()) await builtExecutable().catch(() => {});
  return jobsOf(files);
}

// Programs take and print UTF-8, and print in English, in the locale of any person.
Deno.env.set("LC_ALL", "C.UTF-8");
Deno.env.delete("LANGUAGE");
await installPackages();
if (Deno.args.length) {
  const counts = await testAsAsked(Deno.args);
  console.log(`\n${countsText(counts)}`);
  Deno.exit(counts.failed ? 1 : 0);
}
const files = testFiles();
await fetchPackages(files);
Deno.exit(
  await runJobs([
    Promise.resolve(jobsOf(files.filter((file) => !isCompiled(file)))),
    compiledJobs(files.filter(isCompiled)),
    windowsJobs([]),
  ]),
);
