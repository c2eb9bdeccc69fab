/**
 * The tests of this folder, which the Windows build of Deno runs under Wine. `wine.sh` prepares Wine; if that
 * is impossible, all tests are skipped with a message.
 *
 * Run directly, it prints their whole output. Arguments are passed on to `deno test` (`--filter`).
 */

import { dirname, fromFileUrl } from "@std/path";
import { builtExecutable, cannotBuild } from "../compiled/stand_in.ts";
import type { Counts, Job, Outcome } from "../runner/outcome.ts";
import { runProcess } from "../runner/process.ts";
import { runJobs } from "../runner/run_jobs.ts";
import { MAY_INSTALL } from "../support/config.ts";
import { fillDenoDir } from "../support/deno_dir.ts";
import { exists } from "../support/user_session.ts";

const FOLDER = fromFileUrl(new URL(".", import.meta.url));
const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const SCRIPT = `${FOLDER}wine.sh`;
const CACHE = Deno.env.get("DESKHAND_WINE_CACHE") ?? "/var/cache/deskhand-wine";

/** Exit code of wine.sh if the requested X server does not start. */
const NO_DISPLAY = 125;

/** Exit codes from here on mean a signal, in shells and thus in wine.sh. */
const SIGNALLED = 128;

interface Run {
  name: string;
  files: (file: string) => boolean;
  /** wine.sh settings. */
  env: Record<string, string>;
  /** Whether the tests see the executable's folder. */
  executable?: true;
}

/** Runs, each on a separate Windows set up by `wine.sh`: a start takes a second of processor time. */
const RUNS: readonly Run[] = [
  { name: "keyboard", files: (file) => file === "keyboard_wine.ts", env: {} },
  {
    name: "pointer, screen",
    files: (file) => /^(?:pointer|capture|session)_/.test(file),
    env: {},
  },
  {
    name: "watching, recording",
    files: (file) => /^(?:watch|recording)_/.test(file),
    env: {},
  },
  {
    name: "servers",
    files: (file) =>
      !/^(?:keyboard|pointer|capture|session|watch|recording|scaled|monitors|executable|windows|clipboard|elements|text)_/
        .test(file),
    env: {},
  },
  { name: "elements", files: (file) => file === "elements_wine.ts", env: {} },
  { name: "text", files: (file) => file === "text_wine.ts", env: {} },
  {
    name: "windows, clipboard",
    files: (file) => /^(?:windows|clipboard)_/.test(file),
    env: {},
  },
  {
    name: "scaled by 150 %",
    files: (file) => file === "scaled_wine.ts",
    env: { DESKHAND_WINE_DPI: "144" },
  },
  {
    name: "two monitors, one left of the primary",
    files: (file) => file === "monitors_wine.ts",
    env: { DESKHAND_WINE_MONITORS: "1280x720+800+0 800x600+0+100" },
  },
  {
    name: "the executable",
    files: (file) => file === "executable_wine.ts",
    env: {},
    executable: true,
  },
  {
    // Screenshots only: on Wine's own desktop the X server's echo of a move undoes the next one.
    name: "Wine's own desktop of 1024x640",
    files: (file) => ["capture_wine.ts", "session_wine.ts"].includes(file),
    env: { DESKHAND_WINE_DESKTOP: "1024x640" },
  },
];

/** Approximate time of a run, in seconds. */
const SECONDS = 60;

/**
 * The jobs of all runs, once Wine is prepared.
 * @param args Passed on to `deno test`.
 */
export async function windowsJobs(args: string[]): Promise<Job[]> {
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name)
    .filter((name) => name.endsWith("_wine.ts")).sort();
  const reason = await prepare(files);
  return RUNS.map(({ name, files: belongs, env, executable }) => {
    const chosen = files.filter(belongs);
    return {
      name: `tests/windows/ under Wine: ${name}`,
      again: "deno run -A tests/windows/run.ts",
      seconds: SECONDS,
      async run() {
        if (reason) return skipped(chosen, reason);
        if (!executable) return await run(chosen, args, env);
        const why = await cannotBuild("windows-x64");
        if (why) return skipped(chosen, why);
        const folder = dirname(await builtExecutable("windows-x64"));
        return await run(chosen, args, { ...env, DESKHAND_WINE_FILES: folder });
      },
    };
  });
}

/** Prepares Wine, deno.exe and deno.json's packages; returns why it cannot, or undefined. */
async function prepare(files: string[]): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "Wine is prepared on Debian only";
  const checked = await runProcess(SCRIPT, ["check"]);
  if (checked.code !== 0) return checked.output.trim().replaceAll("\n", "; ");
  if (!MAY_INSTALL && !await exists(`${CACHE}/root`)) return `${CACHE} is empty and must stay so`;
  const { success } = await new Deno.Command(SCRIPT, { args: ["prepare"] }).spawn().status;
  if (!success) return "wine.sh prepare failed, see above";
  try {
    await fillDenoDir(`${CACHE}/deno-dir`, ["main.ts", ...files.map((file) => `tests/windows/${file}`)]);
  } catch (error) {
    return `the npm packages cannot be fetched: ${(error as Error).message}`;
  }
}

/** The outcome of tests that cannot run. */
function skipped(files: string[], reason: string): Outcome {
  const skipped = files.map(testsIn).reduce((sum, count) => sum + count, 0);
  return {
    counts: { passed: 0, failed: 0, skipped },
    failures: [],
    output: `!!! SKIPPED: ${skipped} tests under Wine, since ${reason} !!!`,
  };
}

/**
 * Runs tests, and repeats them if Wine crashed after all of them had passed: it sometimes does when a process
 * ends (once in ten runs). A signal is Wine's own: a fault in the program that it runs is an exception there,
 * not a signal.
 */
async function run(files: string[], args: string[], env: Record<string, string>): Promise<Outcome> {
  const { code, outcome } = await runOnce(files, args, env);
  const { passed, failed } = outcome.counts;
  if (code < SIGNALLED || failed || !passed) return asOutcome(code, outcome);
  console.error(`\n!!! Wine crashed with ${code} after ${passed} tests had passed: once more !!!\n`);
  const again = await runOnce(files, args, env);
  return asOutcome(again.code, again.outcome);
}

/**
 * A run with another exit code than 0 has failed, even if it printed that all tests passed, and so has one
 * without any test: Wine may lose the exit code of a program that does not start.
 */
function asOutcome(code: number, outcome: Outcome): Outcome {
  const { passed, failed, skipped } = outcome.counts;
  if (code === 0 && passed + failed + skipped) return outcome;
  return { ...outcome, counts: { ...outcome.counts, failed: outcome.counts.failed || 1 } };
}

async function runOnce(
  files: string[],
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number; outcome: Outcome }> {
  const paths = files.map((file) => `tests/windows/${file}`);
  const command = ["deno", "test", "-A", "--no-check", "--cached-only", ...args, ...paths];
  const { code, output } = await runProcess(SCRIPT, ["run", ROOT, ...command], { env });
  if (code === NO_DISPLAY) {
    return { code: 0, outcome: skipped(files, "their X server does not start here") };
  }
  const failures = Array.from(output.matchAll(/^(.+) \.\.\. FAILED \(/gm), ([, name]) => name);
  return { code, outcome: { counts: countsOf(output), failures, output } };
}

/** Reads the counts from the last line of `deno test`: a report file would be lost when Wine ends. */
function countsOf(output: string): Counts {
  const line = output.match(
    /\| (\d+) passed(?: \([^)]*\))? \| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/,
  );
  const [passed, failed, skipped] = (line?.slice(1) ?? ["0", "0", "0"]).map((count) => Number(count ?? 0));
  return { passed, failed, skipped };
}

function testsIn(file: string): number {
  return Deno.readTextFileSync(FOLDER + file).match(/^Deno\.test\(/gm)?.length ?? 0;
}

if (import.meta.main) Deno.exit(await runJobs([windowsJobs(Deno.args)], true));
