/** The configuration of tests, tools and benchmarks: the program's packages, and those used only by these. */

import { fromFileUrl, join } from "@std/path";
import { IS_SMALL, SMALL_RUN } from "./need.ts";
import { mustRun } from "./shell.ts";

/** The path of the tests' configuration. */
export const CONFIG_PATH = fromFileUrl(
  new URL("../deno.json", import.meta.url),
);

/** The path of the small set's lock file, because Deno fetches all packages listed in a lock file. */
export const SMALL_LOCK = fromFileUrl(new URL("../small.lock", import.meta.url));

/** The `deno` options that select the configuration, and in a run of the small set its lock file. */
export function config(): string[] {
  return [`--config=${CONFIG_PATH}`, ...Deno.env.get(SMALL_RUN) ? [`--lock=${SMALL_LOCK}`] : []];
}

// Files that tests fetch or build once and cache, in a folder next to other programs' caches.

/** The folder. */
export const CACHE = join(
  Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? "/tmp", ".cache"),
  "deskhand-tests",
);

/**
 * Whether tests may install and fetch programs missing on this machine: not if DESKHAND_TEST_INSTALL is `no`.
 */
export const MAY_INSTALL = Deno.env.get("DESKHAND_TEST_INSTALL") !== "no";

/**
 * Creates a cached folder, unless it exists. If several processes ask at the same time, one creates it and
 * the others wait.
 * @param name Its path in {@linkcode CACHE}: a new name for new content.
 * @param make Fills an empty folder, which is cached once this has succeeded.
 * @returns The path of the cached folder.
 * @throws The errors of `make`.
 */
export async function kept(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(CACHE, name);
  await Deno.mkdir(join(folder, ".."), { recursive: true });
  using lock = await Deno.open(`${folder}.lock`, { create: true, write: true });
  await lock.lock(true);
  if (await exists(folder)) return folder;
  const staged = await Deno.makeTempDir({ dir: join(folder, ".."), prefix: "staged-" });
  try {
    await make(staged);
    await Deno.rename(staged, folder);
  } catch (error) {
    // A program that was abandoned may still be writing there.
    await Deno.remove(staged, { recursive: true }).catch(() => {});
    throw error;
  }
  return folder;
}

/** A file that a test needs cannot be fetched from a registry or mirror. */
export class FetchError extends Error {
  override name = "FetchError";
}

/**
 * Checks that tests may fetch files.
 * @param program The program that fetches them.
 * @throws FetchError if they may not: in the small set, or with DESKHAND_TEST_INSTALL=no.
 */
export function refuseFetch(program: string): void {
  if (IS_SMALL) throw new FetchError(`only \`deno task test --all\` fetches by ${program}`);
  if (!MAY_INSTALL) throw new FetchError(`DESKHAND_TEST_INSTALL forbids ${program}`);
}

/**
 * Runs a program that fetches files.
 * @throws FetchError with all its output if it fails, or if fetching is not allowed.
 */
export async function mustFetch(...command: Parameters<typeof mustRun>): Promise<string> {
  refuseFetch(command[0]);
  return await mustRun(...command).catch((cause) => {
    throw new FetchError((cause as Error).message, { cause });
  });
}

/**
 * Prepares files for a test that is skipped if they cannot be fetched.
 * @returns Why they cannot be fetched, on one line; undefined if they were prepared.
 * @throws The errors of `prepare` for another reason.
 */
export async function whyUnavailable(prepare: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await prepare();
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return error.message.trim().replaceAll("\n", "; ");
  }
}

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
