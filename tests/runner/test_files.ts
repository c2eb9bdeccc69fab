/** Runs test files with `deno test`, each in a separate process. */

import { fromFileUrl } from "@std/path";
import { secondsOf } from "./durations.ts";
import { countsOf, failuresOf } from "./junit.ts";
import type { Counts, Job } from "./outcome.ts";
import { config } from "../support/config.ts";
import { mustRun } from "../support/shell.ts";
import { runProcess } from "./process.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));
/** Limits the duration of each test in a file. */
const BOUND = `--preload=${fromFileUrl(new URL("bound.ts", import.meta.url))}`;

/**
 * Fetches the packages that the program and test files import: otherwise Deno's messages about fetching them
 * would appear in the program's output.
 * @throws Error if one cannot be fetched.
 */
export async function fetchPackages(files: readonly string[]): Promise<void> {
  await mustRun(Deno.execPath(), ["cache", "-q", ...config(), ...files], { cwd: ROOT });
  await mustRun(Deno.execPath(), ["cache", "-q", "main.ts"], { cwd: ROOT });
}

/**
 * A job that runs one file, without type checks, which `deno task check` does.
 * @param file Its path from the project's folder, with slashes, or absolute.
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
        // A killed process may have printed nothing.
        const said = output.trim() ? output : `deno test ended with ${code} and printed nothing\n`;
        return { counts: countsOf(xml, code), failures: failuresOf(xml), output: said };
      } finally {
        await Deno.remove(report);
      }
    },
  };
}

/**
 * Runs `deno test` with the user's arguments, printing as it goes.
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

/** The paths of all test files below `tests/`, from the project's folder, sorted. */
export function testFiles(folder = "tests"): string[] {
  return Array.from(Deno.readDirSync(`${ROOT}${folder}`)).flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return testFiles(path);
    return name.endsWith("_test.ts") ? [path] : [];
  }).sort();
}
