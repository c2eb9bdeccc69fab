/**
 * A test's needs beyond Deno. A test whose needs are not met is skipped, loudly, and never counted as passed.
 */

import { WHOLE } from "./package_tables.ts";

/** The environment variable for a run of the small set. */
export const SMALL_RUN = "DESKHAND_TEST_SMALL";

/** Whether the small set, `deno task test`, is running. */
export const IS_SMALL = Boolean(Deno.env.get(SMALL_RUN));
const LEFT: ReadonlySet<string> = new Set(IS_SMALL ? Object.values(WHOLE).flat() : []);

/**
 * Checks whether programs are available.
 * @param programs Names on the PATH, or file paths.
 * @returns Test options, for `Deno.test({ ...need("xdotool"), … })`.
 */
export function need(...programs: string[]): { ignore: boolean } {
  if (programs.some((program) => LEFT.has(program))) return { ignore: true };
  const missing = programs.filter((program) => !isThere(program));
  if (missing.length) {
    console.error(`\n!!! SKIPPED: a test needs ${missing.join(", ")}, which this machine lacks !!!\n`);
  }
  return { ignore: missing.length > 0 };
}

/**
 * Leaves a test that uses a processor for more than a few seconds to `deno task test --all`.
 * @param _why Why it takes that long.
 * @returns Test options, for `Deno.test({ ...needTime("reads 4 GiB"), … })`.
 */
export function needTime(_why: string): { ignore: boolean } {
  return { ignore: IS_SMALL };
}

/**
 * Checks whether the tests run as root, and a command succeeds, which containers may refuse even to root.
 * @returns Test options, for `Deno.test({ ...needRoot("unshare", "--ipc", "true"), … })`.
 */
export function needRoot(program: string, ...args: string[]): { ignore: boolean } {
  const { ignore } = need(program);
  if (ignore) return { ignore };
  // Not tried without root: su(1) and sudo(8) would ask the user for a password.
  const why = Deno.uid() !== 0
    ? `root, for ${program}`
    : new Deno.Command(program, { args }).outputSync().success
    ? undefined
    : `${[program, ...args].join(" ")}, which fails here`;
  if (why) console.error(`\n!!! SKIPPED: a test needs ${why} !!!\n`);
  return { ignore: why !== undefined };
}

/**
 * Checks whether any user may read and write a file, such as a device, which containers may reserve for root.
 * @returns Test options, for `Deno.test({ ...needOpen("/dev/fuse"), … })`.
 */
export function needOpen(path: string): { ignore: boolean } {
  const { ignore } = need(path);
  if (ignore) return { ignore };
  const isOpen = (Deno.statSync(path).mode! & 0o006) === 0o006;
  if (!isOpen) {
    console.error(`\n!!! SKIPPED: a test needs ${path} to be open to any user, which it is not here !!!\n`);
  }
  return { ignore: !isOpen };
}

/** Whether a program exists, given its name on the PATH or its path. */
export function isThere(program: string): boolean {
  const windows = Deno.build.os === "windows";
  const isPath = program.startsWith("/");
  const folders = isPath ? [""] : (Deno.env.get("PATH") ?? "").split(windows ? ";" : ":");
  return folders.some((folder) => {
    try {
      const path = isPath ? program : `${folder}/${program}${windows ? ".exe" : ""}`;
      return !Deno.statSync(path).isDirectory;
    } catch {
      return false;
    }
  });
}
