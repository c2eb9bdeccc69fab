/** Caches for other builds of Deno, filled by this one: they have the same format on every system. */

import { fromFileUrl } from "@std/path";
import { mustRun } from "./shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/**
 * Fetches the npm packages that modules need, so that the other Deno need not fetch them. The packages are
 * checked against the lock file; without a lock file, Deno also stores the registry's descriptions of the
 * packages, which a later import may need.
 * @param folder The cache.
 * @param modules Paths from the project's folder.
 * @throws Error if a package cannot be fetched.
 */
export async function fillDenoDir(folder: string, modules: string[]): Promise<void> {
  for (const lock of [[], ["--no-lock"]]) {
    const args = ["cache", "-q", ...lock, ...modules];
    await mustRun(Deno.execPath(), args, { cwd: ROOT, env: { DENO_DIR: folder } });
  }
}
