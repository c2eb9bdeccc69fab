/**
 * Installs what the tests need and runs them: what `deno task test` does. Without arguments it runs all of them, many
 * at a time; with arguments it hands them to `deno test` (files, `--filter`).
 *
 * The last line is `N passed, N failed, N skipped`; the exit code is 1 if anything failed.
 */

import { builtExecutable, cannotBuild } from "./compiled/stand_in.ts";
import { fetchPackages, testAsAsked, testFile, testFiles } from "./runner/test_files.ts";
import type { Job } from "./runner/outcome.ts";
import { countsText } from "./runner/report.ts";
import { runJobs } from "./runner/run_jobs.ts";
import { installPackages } from "./support/packages.ts";
import { windowsJobs } from "./windows/run.ts";

/** Files that take longer than a few seconds of processor time, or wait as long, and how many. */
const SECONDS: Record<string, number> = {
  "tests/program/gnome_ibus_test.ts": 60,
  "tests/clients/pyautogui_sessions_test.ts": 20,
  "tests/clients/pyautogui_test.ts": 20,
  "tests/clients/python_test.ts": 18,
  "tests/clients/pyautogui_desktops_test.ts": 10,
  "tests/clients/elements_test.ts": 7,
  "tests/clients/typescript_test.ts": 6,
  "tests/program/kde_text_test.ts": 20,
  "tests/ffi/atspi/zenity_test.ts": 20,
  "tests/ffi/desktops_killed_test.ts": 20,
  "tests/ffi/wayland/portal/gnome_test.ts": 15,
  "tests/ffi/wayland/gnome/clipboard_test.ts": 15,
  "tests/program/mcp_x11_test.ts": 12,
  "tests/compiled/deb_test.ts": 16,
  "tests/ffi/x11/typing_test.ts": 16,
  "tests/program/terminal_test.ts": 16,
  "tests/ffi/wayland/layout/gnome_test.ts": 15,
  "tests/ffi/wayland/gnome/desktop_test.ts": 14,
  "tests/arm64/executable_test.ts": 13,
  "tests/program/access_test.ts": 13,
  "tests/page/live_test.ts": 12,
  "tests/page/touch_test.ts": 12,
  "tests/arm64/source_test.ts": 11,
  "tests/program/gnome_test.ts": 12,
  "tests/program/kde_test.ts": 11,
  "tests/ffi/wayland/wlroots/typing_test.ts": 11,
  "tests/program/large_recording_test.ts": 11,
  "tests/fuzz/fuzz_test.ts": 10,
  "tests/ffi/desktops_clipboard_test.ts": 9,
  "tests/program/files_test.ts": 10,
  "tests/page/firefox_test.ts": 9,
  "tests/page/window_test.ts": 9,
  "tests/program/cli_test.ts": 9,
  "tests/program/files_pages_test.ts": 9,
  "tests/control/agents/dialects_test.ts": 8,
  "tests/control/agents/permission_test.ts": 8,
  "tests/page/input_test.ts": 6,
  "tests/page/view_test.ts": 8,
  "tests/program/files_browser_test.ts": 8,
  "tests/program/first_start_test.ts": 8,
  "tests/program/head_test.ts": 8,
  "tests/program/person_test.ts": 8,
  "tests/program/prompt_editing_test.ts": 8,
  "tests/control/agents/limits_test.ts": 7,
  "tests/program/archive_test.ts": 7,
  "tests/program/mcp_test.ts": 7,
  "tests/program/recording_test.ts": 7,
  "tests/program/replay_test.ts": 7,
  "tests/cli/completions_test.ts": 6,
  "tests/compiled/options_test.ts": 6,
  "tests/ffi/wayland/wire/connection_test.ts": 6,
  "tests/files/resolve_test.ts": 6,
  "tests/page/keys_test.ts": 8,
  "tests/program/log_test.ts": 6,
  "tests/ffi/x11/playback_test.ts": 5,
  "tests/ffi/desktops_death_test.ts": 10,
  "tests/ffi/desktops_end_test.ts": 6,
  "tests/ffi/desktops_pictures_test.ts": 5,
  "tests/ffi/desktops_find_test.ts": 5,
  "tests/files/changing_test.ts": 5,
  "tests/http/line_queue_test.ts": 5,
  "tests/page/access_test.ts": 5,
  "tests/page/accessible_test.ts": 5,
  "tests/program/clients_test.ts": 5,
  "tests/program/listing_test.ts": 5,
  "tests/compiled/npm_test.ts": 5,
  "tests/program/pictures_test.ts": 5,
  "tests/tools/compile_test.ts": 5,
};
const OTHERS_SECONDS = 2;

/** Tells whether a file tests the executable, which is built once before. */
const isCompiled = (file: string) => file.startsWith("tests/compiled/");

function jobsOf(files: string[]): Job[] {
  return files.map((file) => testFile(file, SECONDS[file] ?? OTHERS_SECONDS));
}

/** The tests of the executable, once it is built. If that fails, each of them tells why. */
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
