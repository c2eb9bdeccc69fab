/** Caches of other builds of Deno, filled by this one: they have the same form on every system. */

import { fromFileUrl } from "@std/path";
import { mustRun } from "./shell.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/**
 * Fetches the npm packages that modules need, so that the other Deno need not. The lock file checks the packages;
 * without it Deno also keeps what the registry says about them, which a later import may ask for.
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
