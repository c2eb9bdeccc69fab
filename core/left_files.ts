/**
 * Files that a process keeps while it works. Each is locked as long as its writer lives, so that the next start finds
 * the files of killed processes.
 */

import { join } from "./path.ts";

/**
 * Makes a file that is closed to other users, and locks it until it is closed.
 * @throws The errors of Deno if it cannot be made.
 */
export function createLocked(path: string): Deno.FsFile {
  const file = Deno.openSync(path, { read: true, write: true, createNew: true, mode: 0o600 });
  file.lockSync(true);
  return file;
}

/**
 * Finds the files whose writers are gone. Never throws.
 * @param isOurs Tells by a file's name whether the file is one that deskhand keeps.
 * @returns Their paths.
 */
export function leftFiles(folder: string, isOurs: (name: string) => boolean): string[] {
  try {
    return [...Deno.readDirSync(folder)]
      .filter(({ isFile, name }) => isFile && isOurs(name)) // a pipe would keep its reader waiting
      .map(({ name }) => join(folder, name))
      .filter(isLeft);
  } catch {
    return []; // no folder, no files
  }
}

/**
 * Opens a file whose writer is gone, and locks it until it is closed.
 * @returns undefined if its writer lives or has just removed it, or another user owns it.
 */
export function openLeft(path: string): Deno.FsFile | undefined {
  try {
    const file = Deno.openSync(path, { read: true, write: true });
    if (file.tryLockSync(true)) return file;
    file.close();
  } catch {
    // The file is gone, or belongs to another user.
  }
  return undefined;
}

function isLeft(path: string): boolean {
  const file = openLeft(path);
  file?.close(); // closing the file unlocks it
  return file !== undefined;
}
