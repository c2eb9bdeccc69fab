/** The folder in which deskhand keeps what belongs to one user: the token, the journal of a recording. */

import { join } from "@std/path/join";

/**
 * The path of a file in the user's state folder, which is made if it is missing and is closed to others.
 * @param name The file's name.
 * @throws Error if there is no home folder, or it cannot be written.
 */
export function stateFile(name: string): string {
  const folder = stateFolder();
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, name);
}

/**
 * The path of the user's state folder, which need not exist: XDG Base Directory Specification; Windows: Known Folders,
 * FOLDERID_LocalAppData.
 * @throws Error if there is no home folder.
 */
export function stateFolder(): string {
  if (Deno.build.os === "windows") return join(required("LOCALAPPDATA"), "deskhand");
  const own = Deno.env.get("XDG_STATE_HOME");
  // A relative path is to be ignored, as the specification has it.
  return own?.startsWith("/") ? join(own, "deskhand") : join(required("HOME"), ".local", "state", "deskhand");
}

function required(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error(`${name} is not set, so there is no folder to keep it in`);
  return value;
}
