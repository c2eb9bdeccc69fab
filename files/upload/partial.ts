/** Partial files of uploads, beside the files that they become. */

import { nodeModule } from "../../core/lazy_node.ts";
import { isThere, join } from "../../core/path.ts";
import { RequestError } from "../../http/request_error.ts";
import { PARTIAL_PREFIX } from "../partial_names.ts";

/** The time that an upload that broke off is kept for being resumed, in milliseconds. */
const KEPT_MS = 24 * 3600_000;

/**
 * The path of an upload's partial file.
 * @param name The final name of the file.
 * @param total The final length in bytes; an upload with another length has another partial file. An upload of
 * unknown length cannot be resumed.
 */
export async function partialPath(folder: string, name: string, total: number | undefined): Promise<string> {
  const key = total === undefined ? crypto.randomUUID() : `${total} ${name}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(key));
  return join(folder, PARTIAL_PREFIX + new Uint8Array(digest).toHex().slice(0, 32));
}

/** The number of bytes in a partial file; 0 if there is no such file. */
export function partialSize(path: string): number {
  try {
    const { isFile, size } = Deno.lstatSync(path);
    return isFile ? size : 0;
  } catch {
    return 0;
  }
}

/**
 * Opens an upload's partial file for writing. Other users may be able to write into the folder, so a link in place of
 * the file is not followed.
 * @param start The offset where writing begins; at 0 the upload starts again.
 * @throws RequestError 409 if a link is in place of the file; Deno's error if it cannot be opened.
 */
export async function openPartial(path: string, start: number): Promise<Deno.FsFile> {
  if (start === 0) removePartial(path);
  // createNew is O_EXCL (open(2)); a pipe that is opened for both waits for no reader (fifo(7)).
  const file = await Deno.open(path, { read: true, write: true, createNew: start === 0 });
  const opened = file.statSync(), named = Deno.lstatSync(path);
  if (named.isFile && named.ino === opened.ino && named.dev === opened.dev && (opened.nlink ?? 1) === 1) {
    return file;
  }
  file.close();
  throw new RequestError(
    409,
    "Another program uses the name under which the upload is kept until it is whole.",
  );
}

/** Removes a file if it is there. */
export function removePartial(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // The file was not made, or another program has removed it.
  }
}

/**
 * Removes partial files of uploads that broke off long ago.
 * @param now Milliseconds since 1970.
 * @throws The errors of Deno.readDir.
 */
export async function removeStale(folder: string, now: number): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith(PARTIAL_PREFIX)) continue;
    const path = join(folder, name), info = await Deno.lstat(path).catch(() => undefined);
    if (info?.mtime && now - info.mtime.getTime() > KEPT_MS) removePartial(path);
  }
}

/** Bytes for which a folder's disk has room for this user. */
export function roomIn(folder: string): number {
  const { bavail, bsize } = nodeModule("node:fs").statfsSync(folder);
  return bavail * bsize;
}

/**
 * Gives a whole upload its name.
 * @param overwrites Whether it may replace a file.
 * @throws Deno.errors.AlreadyExists if there is a file that it may not replace.
 */
export function finishPartial(path: string, target: string, overwrites: boolean): void {
  if (overwrites) return Deno.renameSync(path, target);
  try {
    Deno.linkSync(path, target); // a link, which fails if the name is taken, where renaming would replace the file
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    return renameToNew(path, target);
  }
  removePartial(path);
}

/**
 * Renames on file systems without hard links, such as FAT: another program could take the name between the two steps.
 */
function renameToNew(path: string, target: string): void {
  if (isThere(target)) throw new Deno.errors.AlreadyExists(target);
  Deno.renameSync(path, target);
}
