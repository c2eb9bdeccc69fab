/** The user whose desktops tests start. */

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

/** The copies of sessions, made once and removed with their folders. */
const COPIES = new WeakMap<UserSession, Promise<OwnCopy>>();

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
  const copy = await copyFor(session), permissions = ["-A", "--cached-only"];
  const env = { ...session.env, ...options.env, DENO_DIR: copy.denoDir };
  const own = { cwd: session.env.HOME, user: ORDINARY_USER, copy, permissions };
  return new Program(args, { ...own, ...options, env });
}

/**
 * deskhand where a session's user can run it.
 * @throws Error if it cannot be copied.
 */
export async function copyFor(session: UserSession): Promise<OwnCopy> {
  const present = COPIES.get(session);
  if (present) return await present;
  const folder = `${session.folder}/program`;
  Deno.mkdirSync(folder);
  const copy = ownCopy(folder, ORDINARY_USER);
  COPIES.set(session, copy);
  return await copy;
}
