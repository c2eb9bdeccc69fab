/**
 * Installs the programs that tests need and runs the tests: the task `deno task test`.
 *
 *     deno task test             the small set: tests that need few packages and a few minutes
 *     deno task test --all       all tests except those under Wine
 *     deno task test FILE…       only these files, with `deno test` (also `--filter`)
 *
 * The last line is `N passed, N failed, N skipped`; the exit code is 1 if anything failed.
 */

import { builtExecutable, cannotBuild } from "./compiled/stand_in.ts";
import { isShort } from "./runner/durations.ts";
import { declaredTests } from "./runner/ignored.ts";
import { fetchPackages, testAsAsked, testFile, testFiles } from "./runner/test_files.ts";
import type { Job } from "./runner/outcome.ts";
import { countsText } from "./runner/report.ts";
import { runJobs } from "./runner/run_jobs.ts";
import { SMALL_RUN } from "./support/need.ts";
import { COPY_FOLDER } from "./support/ordinary_user.ts";
import { installPackages } from "./support/packages.ts";
import { PATIENCE } from "./support/waits.ts";
import { writeClients } from "../tools/clients/sources.ts";
import { windowsJobs } from "./windows/run.ts";

/** Whether a file tests the executable, which is built once beforehand. */
const isCompiled = (file: string) => file.startsWith("tests/compiled/");

/** The executable's test jobs, once it is built. If the build fails, each of them says why. */
async function compiledJobs(files: string[]): Promise<Job[]> {
  if (!await cannotBuild()) await builtExecutable().catch(() => {});
  return files.map(testFile);
}

/**
 * Counts the tests in a file without loading it, since it may import packages that the small set does not
 * fetch.
 */
async function writtenTests(file: string): Promise<number> {
  return (await Deno.readTextFile(new URL(`../${file}`, import.meta.url))).split("Deno.test(").length - 1;
}

/**
 * The jobs of the small set: the files that finish quickly and have a test that runs here.
 * @param files All test files.
 */
async function smallJobs(files: string[]): Promise<Job[]> {
  const { declared, output } = await declaredTests(files.filter(isShort));
  const isLeft = (file: string) => {
    const { tests, ignored } = declared.get(file) ?? { tests: 1, ignored: 0 };
    return !isShort(file) || tests === ignored;
  };
  const left = files.filter(isLeft);
  const counts = left.map((file) => declared.get(file)?.tests ?? writtenTests(file));
  const skipped = (await Promise.all(counts)).reduce((sum, tests) => sum + tests, 0);
  return [...files.filter((file) => !isLeft(file)).map(testFile), {
    name: `${left.length} files whose tests need more`,
    again: "deno task test --all",
    seconds: 0,
    run: () => Promise.resolve({ counts: { passed: 0, failed: 0, skipped }, failures: [], output }),
  }];
}

/** The jobs of all tests, some of which become ready later. */
function allJobs(files: string[]): Promise<Job[]>[] {
  return [
    Promise.resolve(files.filter((file) => !isCompiled(file)).map(testFile)),
    compiledJobs(files.filter(isCompiled)),
    windowsJobs([]),
  ];
}

// Programs read and print UTF-8, and print English messages, in any user's locale.
Deno.env.set("LC_ALL", "C.UTF-8");
Deno.env.delete("LANGUAGE");

const all = Deno.args.includes("--all"), given = Deno.args.filter((arg) => arg !== "--all");
await installPackages(all || given.length > 0);
await writeClients();
if (given.length) {
  const counts = await testAsAsked(given);
  console.log(`\n${countsText(counts)}`);
  Deno.exit(counts.failed ? 1 : 0);
}
if (!all) Deno.env.set(SMALL_RUN, "yes");
// The longest tests start simultaneously, while the load average does not reflect them yet.
else if (!Deno.env.has(PATIENCE)) Deno.env.set(PATIENCE, "180000");
const files = testFiles(), copy = await Deno.makeTempDir({ prefix: "deskhand-copy-" });
Deno.env.set(COPY_FOLDER, copy);
await fetchPackages(all ? files : files.filter(isShort));
const code = await runJobs(all ? allJobs(files) : [smallJobs(files)]);
await Deno.remove(copy, { recursive: true });
if (!all) {
  console.error("`deno task test --all` runs what was skipped, where the machine lacks nothing else.");
}
Deno.exit(code);
