/** The user whose desktops tests start. */

import { join } from "@std/path";
import { type OwnCopy, ownCopy } from "./own_copy.ts";
import { Program, type ProgramOptions } from "./program.ts";
import type { UserSession } from "./user_session.ts";

/** The user as whom a program is started, and its working folder. */
export interface UserOptions {
  uid?: number;
  gid?: number;
  cwd?: string;
}

/**
 * Compositors and desktop services refuse to run as root, but tests may: they then run as the user nobody. A
 * program starts in a folder accessible to its user, which the tests' own working folder need not be.
 */
export const ORDINARY_USER: UserOptions = Deno.uid() === 0 ? { uid: 65534, gid: 65534, cwd: "/" } : {};

/** Makes the ordinary user the owner of a file or folder. */
export async function giveToUser(path: string): Promise<void> {
  await Deno.chown(path, ORDINARY_USER.uid ?? null, ORDINARY_USER.gid ?? null);
}

// Runs deskhand as a session's ordinary user, because desktop services refuse root.

/** The environment variable with a test run's folder, in which its test files share a copy. */
export const COPY_FOLDER = "DESKHAND_TEST_COPY";
/** The copy used by this process. */
let copy: Promise<OwnCopy> | undefined;

/**
 * Starts deskhand in a session.
 * @param session The session. Its programs have deskhand's permissions, and are ended with the session.
 * @param options The options; their environment is added to the session's.
 */
export async function startInSession(
  session: UserSession,
  args: string[],
  options: ProgramOptions = {},
): Promise<Program> {
  const { denoDir, ...own } = await copyFor(), permissions = ["-A", "--cached-only"];
  const env = { ...session.env, ...options.env, DENO_DIR: denoDir };
  const copy = { loader: session.loader, ...options.copy ?? own };
  return new Program(args, {
    cwd: session.env.HOME,
    user: ORDINARY_USER,
    permissions,
    ...options,
    copy,
    env,
  });
}

/**
 * deskhand where an ordinary user can run it. All sessions share one copy, because copying takes seconds of
 * CPU time. A test run removes its folder; a process started without one makes its own copy.
 * @throws Error if it cannot be copied.
 */
export async function copyFor(): Promise<OwnCopy> {
  return await (copy ??= sharedCopy());
}

async function sharedCopy(): Promise<OwnCopy> {
  const run = Deno.env.get(COPY_FOLDER), parent = run ?? await Deno.makeTempDir({ prefix: "deskhand-copy-" });
  if (run === undefined) {
    globalThis.addEventListener("unload", () => Deno.removeSync(parent, { recursive: true }));
  }
  await Deno.chmod(parent, 0o755);
  using lock = await Deno.open(join(parent, "lock"), { create: true, write: true });
  await lock.lock(true); // if several processes ask at the same time, one makes it and the others wait
  return await ownCopy(join(parent, "program"), ORDINARY_USER);
}
