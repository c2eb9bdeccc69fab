/**
 * Installs what the tests need and runs them: what `deno task test` does. Without arguments it runs all of them, many
 * at a time; with arguments it hands them to `deno test` (files, `--filter`).
 *
 * The last line is `N passed, N failed, N skipped`; the exit code is 1 if anything failed.
 */

import { builtExecutable, cannotBuild } from "./compiled/stand_in.ts";
import { testAsAsked, testFile, testFiles } from "./runner/test_files.ts";
import type { Job } from "./runner/outcome.ts";
import { countsText } from "./runner/report.ts";
import { runJobs } from "./runner/run_jobs.ts";
import { installPackages } from "./support/packages.ts";
import { windowsJobs } from "./windows/run.ts";

/** Files that take longer than a few seconds of processor time, or wait as long, and how many. */
const SECONDS: Record<string, number> = {
  "tests/arm64/source_test.ts": 40,
  "tests/arm64/executable_test.ts": 35,
  "tests/ffi/x11/typing_test.ts": 16,
  "tests/page/live_test.ts": 16,
  "tests/program/large_recording_test.ts": 15,
  "tests/compiled/npm_test.ts": 13,
  "tests/files/listing_large_test.ts": 12,
  "tests/program/access_test.ts": 12,
  "tests/program/files_browser_test.ts": 12,
  "tests/compiled/deb_test.ts": 11,
  "tests/page/input_test.ts": 11,
  "tests/fuzz/fuzz_test.ts": 10,
  "tests/program/files_test.ts": 10,
  "tests/program/mcp_test.ts": 10,
  "tests/program/pictures_test.ts": 10,
  "tests/program/terminal_test.ts": 10,
  "tests/program/log_test.ts": 9,
  "tests/compiled/options_test.ts": 8,
  "tests/files/listing_test.ts": 8,
  "tests/program/cli_test.ts": 8,
  "tests/program/head_test.ts": 8,
  "tests/program/listing_test.ts": 8,
  "tests/control/find/find_test.ts": 7,
  "tests/control/find/search_test.ts": 7,
  "tests/control/image/read_picture_test.ts": 7,
  "tests/page/access_test.ts": 7,
  "tests/page/view_test.ts": 7,
  "tests/tools/compile_test.ts": 7,
  "tests/compiled/mcpb_test.ts": 6,
  "tests/control/image_test.ts": 6,
  "tests/program/clients_test.ts": 6,
  "tests/program/recording_test.ts": 6,
};
const OTHERS_SECONDS = 2;

/** Whether a file tests the executable, which is built once before. */
const isCompiled = (file: string) => file.startsWith("tests/compiled/");

function jobsOf(files: string[]): Job[] {
  return files.map((file) => testFile(file, SECONDS[file] ?? OTHERS_SECONDS));
}

/** The tests of the executable, once it is built. If that fails, each of them tells why. */
async function compiledJobs(files: string[]): Promise<Job[]> {
  if (!await cannotBuild()) await builtExecutable().catch(() => {});
  return jobsOf(files);
}

await installPackages();
if (Deno.args.length) {
  const counts = await testAsAsked(Deno.args);
  console.log(`\n${countsText(counts)}`);
  Deno.exit(counts.failed ? 1 : 0);
}
const files = testFiles();
Deno.exit(
  await runJobs([
    Promise.resolve(jobsOf(files.filter((file) => !isCompiled(file)))),
    compiledJobs(files.filter(isCompiled)),
    windowsJobs([]),
  ]),
);
