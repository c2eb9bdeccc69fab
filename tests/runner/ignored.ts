/**
 * Counts the tests in files, and those that this machine or this run ignores, without running any: the needs
 * that tests declare are known once their files are loaded. A file whose tests are all ignored needs no
 * separate process.
 *
 * Run as a program with file paths, it prints the counts as JSON.
 */

import { fromFileUrl, resolve, toFileUrl } from "@std/path";
import { config } from "../support/config.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/** The numbers of tests in a file. */
interface Declared {
  tests: number;
  ignored: number;
}

/**
 * Loads test files in a separate process.
 * @param files Their paths, from the project's folder or absolute.
 * @param env Environment in addition to this process's own.
 * @returns The counts by path, and what the files printed about their needs. A file that does not load is
 * omitted: its own run reports why.
 */
export async function declaredTests(
  files: readonly string[],
  env: Record<string, string> = {},
): Promise<{ declared: Map<string, Declared>; output: string }> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...config(), "--no-check", import.meta.url, ...files],
    cwd: ROOT,
    env,
  }).output();
  const [last, printed] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes).trimEnd());
  const counts: [string, Declared][] = JSON.parse(last.split("\n").at(-1) || "[]");
  return { declared: new Map(counts), output: printed };
}

/** Loads the files. Nothing awaits it: otherwise a file that imports this module could never be loaded. */
async function main(): Promise<never> {
  let declared: Declared;
  const declare = (...parts: unknown[]) => {
    declared.tests++;
    if (parts.some((part) => (part as Partial<Deno.TestDefinition> | undefined)?.ignore)) declared.ignored++;
  };
  const none = () => {};
  Object.defineProperty(Deno, "test", {
    value: Object.assign(declare, { beforeAll: none, beforeEach: none, afterEach: none, afterAll: none }),
  });
  const found: [string, Declared][] = [];
  for (const file of Deno.args) {
    declared = { tests: 0, ignored: 0 };
    await import(toFileUrl(resolve(file)).href).then(() => found.push([file, declared]), none);
  }
  console.log(`\n${JSON.stringify(found)}`);
  Deno.exit();
}

if (import.meta.main) main();
