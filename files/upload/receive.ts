/** Receives an upload: writes the request body into a hidden file, which becomes the file. */

import { sha256 } from "../../core/bytes.ts";
import { chunksOf, RequestError } from "../../http/request.ts";
import type { Disk } from "../../core/disk.ts";
import { attempt, BusyError, FileChangedError, hasCode, isUnsupported } from "../../core/errors.ts";
import { FolderHandle } from "../../core/folder_handle.ts";
import { nodeModule } from "../../core/path.ts";
import { isFull, isReadOnly, isUnnamable } from "../file_errors.ts";
import { isSame } from "../identity.ts";
import { PARTIAL_PREFIX, type Resolved, type Root } from "../resolve.ts";

// Partial files of uploads, next to the files that they become.

/** How long an interrupted upload can be resumed, in milliseconds. */
const KEPT_MS = 24 * 3600_000;

/**
 * The name of an upload's partial file.
 * @param name The file's final name.
 * @param total The final length in bytes; an upload with another length has another partial file. An upload
 * of unknown length cannot be resumed.
 * @param own A key chosen by the client, which distinguishes its upload from others with the same name and
 * length.
 */
export async function partialName(
  name: string,
  total: number | undefined,
  own: string | null = null,
): Promise<string> {
  const key = total === undefined ? crypto.randomUUID() : `${total} ${own === null ? "" : `${own}/`}${name}`;
  return PARTIAL_PREFIX + (await sha256(key)).toHex().slice(0, 32);
}

/** The number of bytes in a partial file; 0 if there is no such file. */
export function partialSize(folder: FolderHandle, name: string): number {
  const named = folder.stat(name);
  return named?.isFile ? named.size : 0;
}

/**
 * Opens an upload's partial file for writing. Other users may be able to write into the folder, so a link in
 * place of the file is not followed.
 * @param start The offset at which writing begins; at 0 the upload restarts.
 * @param disk The folder's disk.
 * @param mode The permissions of a new file, reduced by the umask.
 * @param like The file that a new file will replace, as for {@linkcode FolderHandle.create}.
 * @throws BusyError if the disk does not answer; RequestError 409 if a link is in place of the file;
 * FileChangedError if the folder's path leads to another folder; Deno's error, or one with its `code`, if the file
 * cannot be opened.
 */
export async function openPartial(
  folder: FolderHandle,
  name: string,
  start: number,
  disk: Disk,
  mode?: number,
  like?: Deno.FileInfo,
): Promise<Deno.FsFile> {
  await disk.answers();
  if (start === 0) {
    folder.remove(name);
    folder.create(name, mode, like);
  }
  // Opening a pipe for both reading and writing does not wait for a reader (fifo(7)).
  const open = () => Deno.open(folder.path(name), { read: true, write: true });
  const file = await disk.call(open, (late) => late.close()).catch((error) => {
    throw error instanceof Deno.errors.NotFound ? new FileChangedError("the folder was replaced") : error;
  });
  const opened = file.statSync(), named = folder.stat(name);
  if (named?.isFile && isSame(named, opened) && named.nlink === 1) return file;
  file.close();
  throw new RequestError(
    409,
    "Another program is using the temporary name of this upload.",
  );
}

/**
 * Moves a file or folder to an unused name on the same disk. An overlay, as in containers, moves no folder of its lower
 * layers (EXDEV), but all files: such a folder is made again, and its contents are moved. If that fails, what was moved
 * goes back.
 * @throws The errors of {@linkcode FolderHandle.moveTo}.
 */
export async function moveAll(
  from: FolderHandle,
  name: string,
  to: FolderHandle,
  renamed: string,
): Promise<void> {
  try {
    return from.moveTo(name, to, renamed);
  } catch (error) {
    if (!hasCode(error, ["EXDEV"]) || !from.stat(name)?.isFolder) throw error;
  }
  to.makeFolder(renamed, 0o700);
  using source = from.folder(name);
  using target = to.folder(renamed);
  const moved: string[] = [];
  try {
    for (const { name: each } of await Array.fromAsync(Deno.readDir(source.real))) {
      await moveAll(source, each, target, each);
      moved.push(each);
    }
    from.removeFolder(name);
  } catch (error) {
    for (const each of moved) await moveAll(target, each, source, each).catch(() => {});
    attempt(() => to.removeFolder(renamed));
    throw error;
  }
}

/**
 * Removes a file, a link, or a folder with everything in it. A folder first gets a random unused name,
 * because its contents are removed by path, which another program could redirect.
 * @param check Receives the path under that name; if it rejects, nothing is removed.
 * @throws BusyError if the disk stops answering; the errors of the file system and of `check`; a folder that could
 * not be removed completely gets its name back.
 */
export async function removeAll(
  folder: FolderHandle,
  name: string,
  disk: Disk,
  check: (path: string) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  if (!folder.stat(name)?.isFolder) return folder.unlink(name);
  const hidden = name.startsWith(PARTIAL_PREFIX) ? name : PARTIAL_PREFIX + crypto.randomUUID();
  const { real, info } = folder;
  if (hidden !== name) await moveAll(folder, name, folder, hidden);
  try {
    await check(folder.path(hidden));
    await disk.during(Deno.remove(folder.path(hidden), { recursive: true }));
  } catch (error) {
    if (hidden === name) throw error;
    if (disk.isLate) {
      disk.later(() => FolderHandle.within({ real, info }, (again) => again.rename(hidden, name)));
    } else folder.rename(hidden, name); // the overlay moves it now, since it has made it
    throw error;
  }
}

/**
 * Removes partial files of an upload, or an unfinished copy: now, or as soon as the disk answers. Never rejects;
 * what cannot be removed is stale after a day.
 */
export async function removeLeft(folder: FolderHandle, names: readonly string[], disk: Disk): Promise<void> {
  const { real, info } = folder;
  const remove = async (folder: FolderHandle) => {
    for (const name of names) {
      await removeAll(folder, name, disk).catch((error) => {
        if (error instanceof BusyError) throw error;
      });
    }
  };
  try {
    if (disk.isLate) throw new BusyError("the disk does not answer");
    await disk.answers();
    await remove(folder);
  } catch (error) {
    if (!(error instanceof BusyError)) return;
    disk.later(async () => {
      const again = FolderHandle.open({ real, info });
      await remove(again).finally(() => again[Symbol.dispose]());
    });
  }
}

/** The names of unfinished copies of folders. The hidden names of folders that are being removed have dashes. */
const COPY = new RegExp(`^${PARTIAL_PREFIX}[0-9a-f]{32}$`);

/** A hidden name for an unfinished copy, or for an upload that cannot be resumed. */
export function copyName(): string {
  return PARTIAL_PREFIX + crypto.randomUUID().replaceAll("-", "");
}

/** Interval between removals of a folder's stale partial files, in milliseconds. */
const CLEAN_MS = 3600_000;
/** Maximum number of folders whose last removal is remembered. */
const CLEANED_LIMIT = 1000;

/** Removes partial files of uploads interrupted long ago, and unfinished copies. */
export class StaleParts {
  /** When the stale partial files of each folder were last removed, by `performance.now()`. */
  readonly #cleaned = new Map<string, number>();

  /** @param now Returns the time, in milliseconds since 1970. */
  constructor(readonly root: Root, readonly now: () => number = Date.now) {}

  /**
   * Removes those in a folder, once an hour and after the response: the time to inspect them grows with their
   * number. Never throws.
   */
  cleanLater(resolved: Resolved): void {
    const now = performance.now(), { real } = resolved;
    if (now - (this.#cleaned.get(real) ?? -Infinity) < CLEAN_MS) return;
    this.#cleaned.delete(real);
    this.#cleaned.set(real, now);
    if (this.#cleaned.size > CLEANED_LIMIT) this.#cleaned.delete(this.#cleaned.keys().next().value!);
    // A folder that cannot be listed, or was replaced, keeps them.
    this.clean(resolved).catch(() => {});
  }

  /** @throws FileChangedError if another folder has replaced it; the errors of {@linkcode Root.items}. */
  async clean(resolved: Resolved): Promise<void> {
    const disk = this.root.disk(resolved.real);
    for await (const block of this.root.items(resolved.real)) {
      const items = block.filter(({ name, isDirectory }) =>
        isDirectory ? COPY.test(name) : name.startsWith(PARTIAL_PREFIX)
      );
      if (!items.length) continue;
      await disk.answers();
      using folder = FolderHandle.open(resolved);
      const names = items.map(({ name }) => name).filter((name) => {
        const named = folder.stat(name);
        return named && this.now() - named.modified > KEPT_MS;
      });
      await removeLeft(folder, names, disk);
    }
  }
}

/** Bytes available to this user on a folder's disk. */
export function roomIn(folder: string): number {
  const { bavail, bsize } = nodeModule("node:fs").statfsSync(folder);
  return bavail * bsize;
}

/**
 * Gives a complete upload its final name.
 * @param partial The partial file's name.
 * @param overwrites Whether it may replace a file.
 * @throws Deno.errors.AlreadyExists if a file exists that it must not replace.
 */
export function finishPartial(
  folder: FolderHandle,
  partial: string,
  name: string,
  overwrites: boolean,
): void {
  if (overwrites) return folder.rename(partial, name);
  try {
    folder.link(partial, name); // unlike renaming, linking fails if the name is taken
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    return renameToNew(folder, partial, name);
  }
  folder.remove(partial);
}

/**
 * Renames where hard links are missing, as on FAT: another program could take the name between the two steps.
 */
function renameToNew(folder: FolderHandle, partial: string, name: string): void {
  if (folder.stat(name)) throw new Deno.errors.AlreadyExists(name);
  folder.rename(partial, name);
}

function noRoom(): RequestError {
  return new RequestError(507, "The disk has no room for this file.");
}

/**
 * The error for an upload that needs more space than its disk has. Read-only file systems, such as those of
 * CDs, report no space either, so the partial file is opened to find the reason.
 * @param partial The partial file's name; the file is empty or gone afterwards if `there` is 0.
 * @param there Size of the partial file, in bytes.
 */
export async function noRoomFor(
  folder: FolderHandle,
  partial: string,
  there: number,
  disk: Disk,
): Promise<unknown> {
  try {
    await disk.close(await openPartial(folder, partial, there, disk));
    return noRoom();
  } catch (error) {
    return refusalOf(error);
  }
}

/** The error for a name that the file system rejects. */
export function unnamable(): RequestError {
  return new RequestError(
    400,
    "The name cannot be used here: it is longer than 255 bytes, or the file system does not support it.",
  );
}

/**
 * Translates an error from writing a file.
 * @returns A RequestError 507, 403 or 400 if the error has such a meaning for clients; otherwise the error
 * itself.
 */
export function refusalOf(error: unknown): unknown {
  if (isFull(error)) return noRoom();
  if (isReadOnly(error)) return new RequestError(403, "deskhand has no permission to write to this folder.");
  if (isUnsupported(error)) {
    const message =
      "This folder's file system cannot store uploads; a mount by rclone needs --vfs-cache-mode writes.";
    return new RequestError(403, message);
  }
  return isUnnamable(error) ? unnamable() : error;
}

/** The error for a file larger than allowed. */
export function tooLarge(limit: number): RequestError {
  return new RequestError(413, `The file is larger than the ${limit} bytes allowed (--upload-limit).`);
}

/** The range of a partial file that a body fills, in bytes. */
interface Part {
  start: number;
  /**
   * The end of the existing bytes that may be sent again: if they differ, they belong to another file. If
   * this is not larger than `start`, anything after `start` is replaced.
   */
  there: number;
  /** Maximum size of the file. */
  limit: number;
  /** The folder's disk. */
  disk: Disk;
  /** The file that the upload will replace. */
  replaced?: Deno.FileInfo;
  /** The body's length, if the client announced it. */
  length?: number;
  /**
   * The name of a second partial file, in which a body with different bytes continues; refused if omitted.
   */
  spare?: string;
}

/**
 * Writes a body into a partial file, which then ends after the body or the existing bytes.
 * @param partial The partial file's name.
 * @returns The file's size in bytes, and its name: the given one, or the spare one.
 * @throws RequestError 409 for bytes of another file, 413 if the body is too long, 507 if the disk is full,
 * 403 if the folder is not writable, 499 if the client left; BusyError if the disk stops answering; the errors
 * of {@linkcode openPartial}, and Deno's error if the file cannot be written for another reason.
 */
export async function receive(
  body: ReadableStream<Uint8Array> | null,
  folder: FolderHandle,
  partial: string,
  { start, there, limit, disk, replaced, length, spare }: Part,
): Promise<{ size: number; partial: string }> {
  let at = start, compared = Math.max(start, there), name = partial, file: Deno.FsFile | undefined;
  try {
    const first = file = await openPartial(folder, partial, compared, disk, undefined, replaced);
    if (compared === start) await disk.call(() => first.truncate(start));
    await file.seek(start, Deno.SeekMode.Start);
    for await (const chunk of chunksOf(body, length)) {
      if (at + chunk.length > limit) throw tooLarge(limit);
      let again = chunk.subarray(0, Math.max(0, compared - at));
      const present = file;
      if (again.length && !await disk.call(() => comesAgain(present, again))) {
        if (spare === undefined) throw otherFile();
        const own = await openPartial(folder, spare, 0, disk, undefined, replaced);
        [file, name, compared, again] = [own, spare, 0, chunk.subarray(0, 0)];
        await copyStart(present, own, at, disk).finally(() => closeAfterFailure(present, disk));
      }
      await writeAll(file, chunk.subarray(again.length), disk);
      at += chunk.length;
    }
    const whole = file;
    file = undefined;
    await disk.close(whole);
    return { size: Math.max(at, compared), partial: name };
  } catch (error) {
    if (file) await closeAfterFailure(file, disk);
    throw error instanceof BusyError ? error : refusalOf(error);
  }
}

/** Closes a file that is no longer needed, without waiting for a disk that does not answer. Never rejects. */
export async function closeAfterFailure(file: Deno.FsFile, disk: Disk): Promise<void> {
  const closing = disk.close(file).catch(() => {});
  if (!disk.isLate) await closing;
}

/** Whether the next bytes of a file equal the given ones. */
async function comesAgain(file: Deno.FsFile, bytes: Uint8Array): Promise<boolean> {
  const there = new Uint8Array(bytes.length);
  for (let at = 0; at < there.length;) {
    const count = await file.read(there.subarray(at));
    if (count === null) return false;
    at += count;
  }
  return there.every((byte, i) => byte === bytes[i]);
}

/** Copies the first bytes of a file. */
async function copyStart(from: Deno.FsFile, to: Deno.FsFile, length: number, disk: Disk): Promise<void> {
  await from.seek(0, Deno.SeekMode.Start);
  const buffer = new Uint8Array(64 * 1024);
  for (let at = 0; at < length;) {
    const part = buffer.subarray(0, Math.min(buffer.length, length - at));
    const count = await disk.call(() => from.read(part)) ?? 0;
    if (!count) throw new FileChangedError("the partial file was truncated");
    await writeAll(to, buffer.subarray(0, count), disk);
    at += count;
  }
}

/**
 * Writes all bytes at a file's present position: one call may write a part.
 * @throws The errors of Deno; BusyError if the disk does not answer.
 */
export async function writeAll(file: Deno.FsFile, bytes: Uint8Array, disk: Disk): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await disk.call(() => file.write(bytes.subarray(at)));
}

function otherFile(): RequestError {
  return new RequestError(
    409,
    "Another file with this name and length is being uploaded: give each upload its own Upload-Key.",
  );
}
