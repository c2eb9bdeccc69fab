/**
 * The folder in which deskhand keeps what belongs to one user: the token, journals of recordings, the prompt's
 * history. deskhand uses a file there only if no other user can have written it.
 */

import { InputError } from "./errors.ts";
import { isThere, join } from "./path.ts";
import { printable } from "./printable.ts";

/**
 * The path of a file in the user's state folder, which is made if it is missing and is closed to others.
 * @param name The file's name.
 * @throws InputError if there is no home folder, or the folder is not this user's own.
 * @throws The errors of Deno if the folder cannot be made.
 */
export function stateFile(name: string): string {
  const folder = stateFolder();
  if (!isThere(folder)) Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  checkOwn(folder, "folder");
  return join(folder, name);
}

/**
 * The path of the user's state folder, which need not exist: XDG Base Directory Specification; Windows: Known Folders,
 * FOLDERID_LocalAppData.
 * @throws InputError if there is no home folder.
 */
export function stateFolder(): string {
  if (Deno.build.os === "windows") return join(required("LOCALAPPDATA"), "deskhand");
  const own = Deno.env.get("XDG_STATE_HOME");
  // The XDG Base Directory Specification says to ignore a relative path.
  return own?.startsWith("/") ? join(own, "deskhand") : join(required("HOME"), ".local", "state", "deskhand");
}

/**
 * Checks that a folder or file is this user's own: no link, no pipe or device, and no other user can write it. The
 * file is not opened, since a pipe would keep its reader waiting.
 * @returns The system's information about it.
 * @throws InputError that says how to repair it; the errors of Deno.lstatSync.
 */
export function checkOwn(path: string, kind: "folder" | "file"): Deno.FileInfo {
  const info = Deno.lstatSync(path);
  const fault = faultOf(path, info, kind);
  if (fault) throw new InputError(`${printable(path)} ${fault}`);
  return info;
}

/** Describes a fault of the folder, and its remedy. */
function faultOf(path: string, info: Deno.FileInfo, kind: "folder" | "file"): string | undefined {
  const again = "remove it, and deskhand creates a new one";
  if (info.isSymlink) return `is a link; ${again}`;
  if (kind === "folder" && !info.isDirectory) return `is not a folder; ${again}`;
  if (kind === "file" && !info.isFile) return `is not a regular file; ${again}`;
  if (Deno.build.os === "windows") return undefined; // the user's profile closes what is in it to others
  const quoted = `'${path.replaceAll("'", String.raw`'\''`)}'`;
  if (info.uid !== Deno.uid()) {
    return "belongs to another user; set XDG_STATE_HOME to a folder of your own, or type: " +
      `sudo chown -R ${Deno.uid()} ${printable(quoted)}`;
  }
  if ((info.mode! & 0o022) === 0) return undefined;
  return kind === "file"
    ? `can be written by other users; ${again}`
    : `can be written by other users; see what they put there, then type: chmod 700 ${printable(quoted)}`;
}

/**
 * Makes a file of this user's unreadable to others.
 * @param info The result of {@linkcode checkOwn}.
 * @returns Whether others could read the file before.
 */
export function closeToOthers(path: string, { mode }: Deno.FileInfo): boolean {
  if (mode === null || Deno.build.os === "windows" || (mode & 0o077) === 0) return false;
  Deno.chmodSync(path, 0o600);
  return true;
}

function required(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new InputError(`${name} is not set, so deskhand has nowhere to store its files`);
  return value;
}
