/** The user whose desktops tests start. */

import { join } from "@std/path";
import { type OwnCopy, ownCopy } from "./own_copy.ts";
import { Program, type ProgramOptions } from "./program.ts";
import type { UserSession } from "./user_session.ts";

/** The user as whom a program is started, and its folder. */
export interface UserOptions {
  uid?: number;
  gid?: number;
  cwd?: string;
}

/**
 * Compositors and services of a desktop refuse root, which tests may be: then these run as the user nobody. A program
 * starts in a folder that its user may enter, which the one that the tests stand in need not be.
 */
export const ORDINARY_USER: UserOptions = Deno.uid() === 0 ? { uid: 65534, gid: 65534, cwd: "/" } : {};

/** Gives a file or folder to the ordinary user. */
export async function giveToUser(path: string): Promise<void> {
  await Deno.chown(path, ORDINARY_USER.uid ?? null, ORDINARY_USER.gid ?? null);
}

// Runs deskhand as the ordinary user of a session, whom services of a desktop serve; they refuse root.

/** The environment variable with the folder of a run, in which its files of tests share a copy. */
export const COPY_FOLDER = "DESKHAND_TEST_COPY";
/** The copy that this process uses. */
let copy: Promise<OwnCopy> | undefined;

/**
 * Starts deskhand in a session.
 * @param session The session. Its programs have the permissions of deskhand, and end with the session.
 * @param options The options; their environment is added to that of the session.
 */
export async function startInSession(
  session: UserSession,
  args: string[],
  options: ProgramOptions = {},
): Promise<Program> {
  const copy = await copyFor(), permissions = ["-A", "--cached-only"];
  const env = { ...session.env, ...options.env, DENO_DIR: copy.denoDir };
  const own = { cwd: session.env.HOME, user: ORDINARY_USER, copy, permissions };
  return new Program(args, { ...own, ...options, env });
}

/**
 * deskhand where an ordinary user can run it: a copy takes seconds of processor time, so that all sessions share it. A
 * run removes its folder; a process that was started without one makes a copy of its own.
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
  await lock.lock(true); // of several processes that ask at once, one makes it and the others wait
  return await ownCopy(join(parent, "program"), ORDINARY_USER);
}
