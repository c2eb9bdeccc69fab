/** Runs deskhand as the ordinary user of a session, whom services of a desktop serve; they refuse root. */

import { fromFileUrl } from "@std/path";
import { mustRun } from "./cache.ts";
import { Program, type ProgramOptions } from "./program.ts";
import { USER, type UserSession } from "./user_session.ts";

const ROOT = fromFileUrl(new URL("../..", import.meta.url));

/**
 * Starts deskhand in a session.
 * @param session Its programs may do what deskhand may, and end with it.
 * @param options Whose environment comes beside that of the session.
 */
export async function startInSession(
  session: UserSession,
  args: string[],
  options: ProgramOptions = {},
): Promise<Program> {
  const env = { ...session.env, ...options.env, ...USER.uid === undefined ? {} : await modules(session) };
  return new Program(args, { cwd: session.env.HOME, user: USER, ...options, env });
}

/** The npm packages that deskhand needs, where the session's user may read them; fetched once a session. */
async function modules(session: UserSession): Promise<{ DENO_DIR: string }> {
  const folder = `${session.folder}/deno`;
  try {
    await Deno.mkdir(folder);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return { DENO_DIR: folder };
    throw error;
  }
  await mustRun(Deno.execPath(), ["cache", "-q", "main.ts"], { cwd: ROOT, env: { DENO_DIR: folder } });
  await mustRun("chown", ["-R", `${USER.uid}:${USER.gid}`, folder]);
  return { DENO_DIR: folder };
}
