/** Runs files of tests by `deno test`, each in a process of its own. */

import { fromFileUrl } from "@std/path";
import { secondsOf } from "./durations.ts";
import { countsOf, failuresOf } from "./junit.ts";
import type { Counts, Job } from "./outcome.ts";
import { config } from "../support/config.ts";
import { mustRun } from "../support/shell.ts";
import { runProcess } from "./process.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** Bounds each test of a file. */
const BOUND = `--preload=${fromFileUrl(new URL("bound.ts", import.meta.url))}`;

/**
 * Fetches the packages that the program and files of tests import: otherwise a test of the program's output would see
 * Deno's messages about fetching them.
 * @throws Error if one cannot be fetched.
 */
export async function fetchPackages(files: readonly string[]): Promise<void> {
  await mustRun(Deno.execPath(), ["cache", "-q", ...config(), ...files], { cwd: ROOT });
  await mustRun(Deno.execPath(), ["cache", "-q", "main.ts"], { cwd: ROOT });
}

/**
 * A job that runs one file. Types are left to `deno task check`.
 * @param file Its path from the project's folder, with slashes, or from the root.
 */
export function testFile(file: string): Job {
  return {
    name: file,
    again: `deno task test ${file}`,
    seconds: secondsOf(file),
    async run() {
      const report = await Deno.makeTempFile({ suffix: ".xml" });
      try {
        const args = ["test", "-A", ...config(), BOUND, "--no-check", `--junit-path=${report}`, file];
        const { code, output } = await runProcess(Deno.execPath(), args, { cwd: ROOT });
        const xml = await Deno.readTextFile(report);
        // A process that is killed may have printed nothing yet.
        const said = output.trim() ? output : `deno test ended with ${code} and printed nothing\n`;
        return { counts: countsOf(xml, code), failures: failuresOf(xml), output: said };
      } finally {
        await Deno.remove(report);
      }
    },
  };
}

/**
 * Runs `deno test` with arguments of the user's and lets it print as it goes.
 * @param args Files, `--filter`.
 */
export async function testAsAsked(args: string[]): Promise<Counts> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  try {
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", ...config(), BOUND, `--junit-path=${report}`, ...args],
      cwd: ROOT,
      stdin: "null",
    }).spawn().status;
    return countsOf(await Deno.readTextFile(report), code);
  } finally {
    await Deno.remove(report);
  }
}

/** The paths of all files of tests below `tests/`, from the project's folder, sorted. */
export function testFiles(folder = "tests"): string[] {
  return Array.from(Deno.readDirSync(`${ROOT}${folder}`)).flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return testFiles(path);
    return name.endsWith("_test.ts") ? [path] : [];
  }).sort();
}
