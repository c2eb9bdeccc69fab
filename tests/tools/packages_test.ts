/** The two configurations: the program's packages, and the packages that only tests, tools and benchmarks use. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { CONFIG_PATH } from "../support/config.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

interface Lock {
  npm: Record<string, { integrity: string }>;
}

async function json<T>(path: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(path));
}

/** Rows of `all` whose names `some` has too. */
function common<T>(
  some: Record<string, T>,
  all: Record<string, T>,
): Record<string, T> {
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => name in some),
  );
}

Deno.test("tests/deno.json names every package of deno.json, in the same version", async () => {
  const { imports } = await json<{ imports: Record<string, string> }>(
    `${ROOT}deno.json`,
  );
  const { imports: all } = await json<{ imports: Record<string, string> }>(
    CONFIG_PATH,
  );
  assertEquals(common(imports, all), imports);
});

Deno.test("tests/deno.lock has the program's packages with the hashes of deno.lock", async () => {
  const { npm } = await json<Lock>(`${ROOT}deno.lock`);
  const { npm: all } = await json<Lock>(CONFIG_PATH.replace(/json$/, "lock"));
  assertEquals(common(npm, all), npm);
});
