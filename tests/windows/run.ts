/**
 * Runs the tests of this folder with the Windows build of Deno under Wine, and prints one line of counts at the end.
 * What Wine needs is prepared by `wine.sh`; where that may not or cannot be, all are skipped, loudly.
 *
 * Arguments are passed on to `deno test` (`--filter`).
 */

import { fromFileUrl } from "@std/path";

const FOLDER = fromFileUrl(new URL(".", import.meta.url));
const ROOT = fromFileUrl(new URL("../..", import.meta.url));
const SCRIPT = `${FOLDER}wine.sh`;
const CACHE = Deno.env.get("DESKHAND_WINE_CACHE") ?? "/var/cache/deskhand-wine";

/** Exit code of wine.sh where the X server that was asked for does not start. */
const NO_DISPLAY = 125;

/** Exit codes from here on stand for a signal, in shells and so in wine.sh. */
const SIGNALLED = 128;

/** What a run of tests came to. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Each with a Windows of its own, as `wine.sh` sets it up. */
const RUNS: { name: string; files: (file: string) => boolean; env: Record<string, string> }[] = [
  { name: "screen of 1280x720", files: (file) => !/^(?:scaled|monitors)_/.test(file), env: {} },
  { name: "scaled by 150 %", files: (file) => file === "scaled_wine.ts", env: { DESKHAND_WINE_DPI: "144" } },
  {
    name: "two monitors, one left of the primary",
    files: (file) => file === "monitors_wine.ts",
    env: { DESKHAND_WINE_MONITORS: "1280x720+800+0 800x600+0+100" },
  },
  {
    // Pictures only: on its own desktop Wine lets the X server's echo of a move undo the next one.
    name: "Wine's own desktop of 1024x640",
    files: (file) => ["capture_wine.ts", "session_wine.ts"].includes(file),
    env: { DESKHAND_WINE_DESKTOP: "1024x640" },
  },
];

/**
 * Runs all of them.
 * @param args Passed on to `deno test`.
 */
export async function windowsTests(args: string[]): Promise<Counts> {
  const total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const files = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).filter((name) =>
    /_wine\.ts$/.test(name)
  ).sort();
  const reason = await prepare(files);
  for (const { name, files: belongs, env } of RUNS) {
    const chosen = files.filter(belongs);
    if (reason) {
      total.skipped += chosen.map(testsIn).reduce((sum, count) => sum + count, 0);
      continue;
    }
    console.log(`\nWindows tests under Wine: ${name}`);
    const counts = await run(chosen, args, env);
    for (const key of ["passed", "failed", "skipped"] as const) total[key] += counts[key];
  }
  if (reason) console.error(`\n!!! SKIPPED: the Windows tests (${total.skipped}), since ${reason} !!!\n`);
  return total;
}

/** Gets Wine, deno.exe and the packages that deno.json names; tells why not, if it cannot. */
async function prepare(files: string[]): Promise<string | undefined> {
  if (Deno.build.os !== "linux") return "Wine is prepared on Debian only";
  const checked = await new Deno.Command(SCRIPT, { args: ["check"], stderr: "piped" }).output();
  if (!checked.success) return new TextDecoder().decode(checked.stderr).trim().replaceAll("\n", "; ");
  const { success } = await new Deno.Command(SCRIPT, { args: ["prepare"] }).spawn().status;
  if (!success) return "wine.sh prepare failed, see above";
  // The cache has the same form on every system: filled here, nothing is fetched under Wine.
  const fetched = await new Deno.Command(Deno.execPath(), {
    args: ["cache", "-q", "main.ts", ...files.map((file) => `tests/windows/${file}`)],
    cwd: ROOT,
    env: { DENO_DIR: `${CACHE}/deno-dir` },
  }).spawn().status;
  return fetched.success ? undefined : "the npm packages cannot be fetched";
}

/** How a run of tests ended. */
interface Ended {
  code: number;
  counts: Counts;
}

/**
 * Runs tests, once more if Wine crashed when all of them had passed: it does now and then when a process ends (seen once
 * in ten runs). A signal is Wine's own: a fault in the program it runs is an exception there, and no signal here.
 */
async function run(files: string[], args: string[], env: Record<string, string>): Promise<Counts> {
  const { code, counts } = await runOnce(files, args, env);
  if (code < SIGNALLED || counts.failed || !counts.passed) return asCounts(code, counts);
  console.error(`\n!!! Wine crashed with ${code} after ${counts.passed} tests had passed: once more !!!\n`);
  const again = await runOnce(files, args, env);
  return asCounts(again.code, again.counts);
}

/** What did not end well has failed, whatever it printed. */
function asCounts(code: number, counts: Counts): Counts {
  return code === 0 ? counts : { ...counts, failed: counts.failed || 1 };
}

async function runOnce(files: string[], args: string[], env: Record<string, string>): Promise<Ended> {
  const command = [
    "test",
    "-A",
    "--no-check",
    "--cached-only",
    ...args,
    ...files.map((file) => `tests/windows/${file}`),
  ];
  const child = new Deno.Command(SCRIPT, {
    args: ["run", ROOT, "deno", ...command],
    stdin: "null",
    stdout: "piped",
    env,
  }).spawn();
  let output = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    Deno.stdout.writeSync(new TextEncoder().encode(text));
    output += text;
  }
  const { code } = await child.status;
  if (code === NO_DISPLAY) {
    const skipped = files.map(testsIn).reduce((sum, count) => sum + count, 0);
    console.error(`\n!!! SKIPPED: ${skipped} tests, since their X server does not start here !!!\n`);
    return { code: 0, counts: { passed: 0, failed: 0, skipped } };
  }
  const line = output.match(
    /\| (\d+) passed(?: \([^)]*\))? \| (\d+) failed(?: \([^)]*\))?(?: \| (\d+) ignored)?/,
  );
  const [passed, failed, skipped] = (line?.slice(1) ?? ["0", "0", "0"]).map((count) => Number(count ?? 0));
  return { code, counts: { passed, failed, skipped } };
}

function testsIn(file: string): number {
  return Deno.readTextFileSync(FOLDER + file).match(/^Deno\.test\(/gm)?.length ?? 0;
}

if (import.meta.main) {
  const { passed, failed, skipped } = await windowsTests(Deno.args);
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped`);
  Deno.exit(failed ? 1 : 0);
}
