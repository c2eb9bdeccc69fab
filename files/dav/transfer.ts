/**
 * COPY and MOVE (RFC 4918 sections 9.8 and 9.9), whose results appear only when complete, and the trash:
 * deleted files are kept for a day in a folder that is neither listed nor served, or are removed immediately.
 */

import { Capacity } from "../../core/coalesced_read.ts";
import type { Disk } from "../../core/disk.ts";
import { hasCode, on } from "../../core/errors.ts";
import { FolderHandle, isOnSameMount, type NamedFile } from "../../core/folder_handle.ts";
import { dirname, join, SEPARATOR } from "../../core/path.ts";
import { printable } from "../../core/printable.ts";
import { mountsBelow } from "../../core/proc.ts";
import { RequestError } from "../../http/request.ts";
import { isFull, isMissing } from "../file_errors.ts";
import { type FileVersion, hasSameContent, type Identity, isSame, isUnchanged } from "../identity.ts";
import { infosOf, servableOnce } from "../listing/entry.ts";
import { readChunk } from "../read.ts";
import { PARTIAL_PREFIX, type Resolved, type Root, TRASH } from "../resolve.ts";
import {
  closeAfterFailure,
  copyName,
  moveAll,
  openPartial,
  refusalOf,
  removeAll,
  removeLeft,
  tooLarge,
  writeAll,
} from "../upload/receive.ts";

/** Maximum number of copies at the same time. */
const AT_ONCE = 4;
/** Maximum number of files and folders per copy. */
const ENTRIES_LIMIT = 100_000;
/** Maximum folder depth of a copy: each folder stays open while its contents are copied. */
const DEPTH_LIMIT = 128;
/** Bytes per read. */
const CHUNK = 1024 * 1024;

/** The source of a copy. */
interface Source {
  resolved: Resolved;
  lexicalPath: string;
}

/**
 * What a copy has read, by path below its source: the version of a file or folder before it was read, or null for a
 * link.
 */
export type Read = Map<string, FileVersion & Pick<Deno.FileInfo, "isDirectory"> | null>;

/** Copies files and folders below a root. */
export class Copies {
  readonly #capacity = new Capacity(AT_ONCE, "Too much is being copied; try again later.");

  /** @param limit Maximum file size, in bytes. */
  constructor(readonly root: Root, readonly limit: number) {}

  /**
   * Copies a file or folder to a hidden name.
   * @param folder The folder that receives the copy.
   * @param isDeep Whether a folder's contents are copied too.
   * @param client Aborted when the client leaves, which ends the copy.
   * @param read For a move: receives what was read, which must be everything there and must not change meanwhile.
   * @returns The copy's name in that folder.
   * @throws RequestError if there is no space, too much to copy, or the source has changed; BusyError if too many
   * copies are running.
   */
  async copy(
    source: Source,
    folder: FolderHandle,
    isDeep: boolean,
    client: AbortSignal,
    read?: Read,
  ): Promise<string> {
    using _place = this.#capacity.enter();
    const disk = this.root.disk(folder.real), name = copyName(), { real } = source.resolved;
    try {
      await new Copy(this.root, this.limit, isDeep, client, read).run(source, folder, name, []);
      if (read) await checkRead(read, real, this.root.disk(real));
      return name;
    } catch (error) {
      await removeLeft(folder, [name], disk);
      throw refusalOf(error);
    }
  }
}

class Copy {
  #entries = 0;

  constructor(
    readonly root: Root,
    readonly limit: number,
    readonly isDeep: boolean,
    readonly client: AbortSignal,
    readonly read?: Read,
  ) {}

  /**
   * @param above The folders that contain the copy: a link may lead to one of them.
   * @param below The path below the first source.
   */
  async run(
    { resolved, lexicalPath }: Source,
    folder: FolderHandle,
    name: string,
    above: readonly Identity[],
    below = "",
  ): Promise<void> {
    if (this.client.aborted) throw new RequestError(499, "The client disconnected.");
    if (++this.#entries > ENTRIES_LIMIT) {
      throw new RequestError(403, `One request can copy at most ${ENTRIES_LIMIT} files and folders.`);
    }
    const { real, info } = resolved;
    if (!this.read?.has(below)) this.read?.set(below, info);
    if (info.isFile) return await this.#file(resolved, folder, name, below);
    if (above.length === DEPTH_LIMIT) {
      throw new RequestError(403, `Folders nested deeper than ${DEPTH_LIMIT} levels are not copied.`);
    }
    await this.root.disk(folder.real).answers();
    folder.makeFolder(name, permissionsOf(info, 0o777));
    if (!this.isDeep || above.some((folder) => isSame(folder, info))) return;
    using copied = folder.folder(name);
    const isServable = servableOnce();
    const items = (await Array.fromAsync(this.root.items(real)).catch(unreadable(below))).flat();
    const names = items.map(({ name }) => name).filter(isServable);
    const infos = await infosOf(this.root, { real, lexicalPath }, names);
    for (const [i, member] of names.entries()) {
      if (!infos[i]) continue;
      const lexical = join(lexicalPath, member), entry = await this.root.findOrNull(lexical);
      if (!entry) continue;
      const at = `${below}/${member}`;
      if (entry.real !== join(real, member)) this.read?.set(at, null);
      await this.run({ resolved: entry, lexicalPath: lexical }, copied, member, [...above, info], at);
    }
  }

  async #file(source: Resolved, folder: FolderHandle, name: string, below: string): Promise<void> {
    const open = await this.root.open(source).catch(unreadable(below)),
      { size } = open.info,
      from = this.root.disk(source.real);
    try {
      if (size > this.limit) throw tooLarge(this.limit);
      const disk = this.root.disk(folder.real), mode = permissionsOf(source.info, 0o666);
      const file = await openPartial(folder, name, 0, disk, mode);
      try {
        for (let start = 0; start < size; start += CHUNK) {
          if (this.client.aborted) throw new RequestError(499, "The client disconnected.");
          const end = Math.min(start + CHUNK, size) - 1;
          await writeAll(file, await from.call(() => readChunk(open, { start, end }, false)), disk);
        }
        const { atime, mtime } = source.info;
        if (this.read && mtime) await disk.call(() => file.utime(atime ?? mtime, mtime)); // as renaming keeps it
      } catch (error) {
        await closeAfterFailure(file, disk);
        throw error;
      }
      await disk.close(file);
    } finally {
      from.close(open.file).catch(() => {}); // later if the disk does not answer
    }
  }
}

/**
 * Returns a function that throws what keeps a copy from reading a file or folder.
 * @param below Its path below the copy's source, which itself is there: only of the source is a 404 true.
 */
function unreadable(below: string): (error: unknown) => never {
  return (error) => {
    const isBare = error instanceof RequestError ? below !== "" && error.status === 404 : isMissing(error);
    if (!isBare) throw error;
    throw new RequestError(
      403,
      `Nothing was copied: deskhand cannot read ${printable(below || "the folder")}.`,
    );
  };
}

/**
 * The permissions of a copy, before the umask: those of its source, so that nobody else may read what was private;
 * deskhand itself must be able to write it.
 * @param usual Those for a source without permissions, as on Windows.
 */
function permissionsOf({ mode, isDirectory }: Deno.FileInfo, usual: number): number {
  return mode === null ? usual : mode & 0o777 | (isDirectory ? 0o700 : 0o600);
}

/**
 * Checks that everything in a source was read, and has not changed since. Hidden partial files do not matter.
 * @param path The source's path.
 * @param below The path below it that is checked.
 * @param isAgain Whether a folder above was made again, as moving makes an overlay's: its files were moved one by one.
 * @throws RequestError 409.
 */
async function checkRead(read: Read, path: string, disk: Disk, below = "", isAgain = false): Promise<void> {
  const was = read.get(below);
  if (was === undefined) throw kept("contains files that are not served, or was changed");
  const info = await disk.call(() => Deno.lstat(path).catch(on(Deno.errors.NotFound)));
  if (!info) return; // another program has removed it
  const isFolder = info.isDirectory, isOther = isAgain || isFolder && was !== null && !isSame(info, was);
  const isKept = (was: FileVersion) =>
    isOther ? isSame(info, was) && hasSameContent(info, was) : isUnchanged(info, was);
  const isAsRead = was ? isFolder ? was.isDirectory : isKept(was) : info.isSymlink;
  if (!isAsRead) throw kept();
  if (!isFolder) return;
  for (const { name } of await disk.during(Array.fromAsync(Deno.readDir(path)))) {
    if (name.startsWith(PARTIAL_PREFIX)) continue;
    await checkRead(read, join(path, name), disk, `${below}/${name}`, isOther);
  }
}

/** The error for a source that is not removed, because it is not what was copied. */
function kept(why = "was changed by another program"): RequestError {
  return new RequestError(409, `The original was kept: it ${why} while it was moved to another disk.`);
}

interface Named {
  folder: FolderHandle;
  name: string;
  /** The folder's disk. */
  disk: Disk;
}

/** A path in which names that only differ in case, or in how their accents are encoded, are equal. */
export function folded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

/**
 * Moves a file or folder to an unused name, or a file onto a file.
 * @param copy For a move to another disk: copies the source to the new name.
 * @param isFar Whether the other disk is known to be another one.
 * @throws RequestError 409 if the source has changed after it was copied; it is kept.
 */
export async function move(
  from: Named,
  to: Named,
  copy: (read: Read) => Promise<void>,
  isFar = false,
): Promise<void> {
  const read: Read = new Map(), before = from.folder.stat(from.name);
  try {
    if (!isFar) {
      from.folder.moveTo(from.name, to.folder, to.name);
      const left = from.folder.stat(from.name);
      // rename(2) does nothing if both names are hard links to one file.
      const isLinked = left && before && isSame(left, before) && left.nlink > 1 && !left.isFolder;
      const isRecased = folded(from.folder.path(from.name)) === folded(to.folder.path(to.name));
      if (isLinked && !isRecased) from.folder.unlink(from.name);
      return;
    }
  } catch (error) {
    if (!hasCode(error, ["EXDEV"])) throw error;
  }
  await copy(read);
  await from.disk.answers();
  const now = from.folder.stat(from.name);
  if (now) await removeRead(from, now, before, read);
}

/** Removes a source that was copied. @throws RequestError 409 if it has changed since. */
async function removeRead(
  { folder, name, disk }: Named,
  now: NamedFile,
  before: NamedFile | undefined,
  read: Read,
): Promise<void> {
  if (!before || !isSame(now, before)) throw kept();
  if (now.isFolder) return await removeAll(folder, name, disk, (path) => checkRead(read, path, disk));
  if (now.isFile && (now.size !== before.size || now.modified !== before.modified)) throw kept();
  folder.unlink(name);
}

/** How long deleted files are kept, in milliseconds. */
const KEPT_MS = 24 * 3600_000;
/** Interval between checks for expired files, in milliseconds. */
const LOOK_MS = 3600_000;
/** The name of each deletion's folder in the trash begins with the time of the deletion. */
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z-/;

/** Deletes files and folders. */
export class Trash {
  /** Trash folders that may have contents. */
  readonly #folders: Set<string>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cleaned: Promise<void> = Promise.resolve();

  /**
   * @param keeps Whether deleted files are kept for a day.
   * @param now Returns the time, in milliseconds since 1970.
   */
  constructor(readonly root: Root, readonly keeps: boolean, readonly now: () => number = Date.now) {
    this.#folders = new Set([root.real, ...mountsBelow(root.real)].map((folder) => join(folder, TRASH)));
    this.#lookLater(0);
  }

  /**
   * Deletes a file or folder. A link itself is deleted, not its target.
   * @param folder The folder that contains it, below the root.
   * @throws FileChangedError if the folder was moved meanwhile; BusyError if the disk stops answering; the
   * errors of the file system.
   */
  async delete(folder: FolderHandle, name: string): Promise<void> {
    if (!this.keeps) return await removeAll(folder, name, this.root.disk(folder.real));
    using top = this.#deviceRoot(folder, name);
    inTrash(() => makeTrash(top));
    using trash = top.folder(TRASH); // never a link that another user may have put there
    const stamp = new Date(this.now()).toISOString().slice(0, 19).replaceAll(":", "-");
    const own = `${stamp}Z-${crypto.randomUUID().slice(0, 8)}`;
    inTrash(() => trash.makeFolder(own, 0o700));
    try {
      using kept = trash.folder(own);
      await moveAll(folder, name, kept, name);
    } catch (error) {
      trash.removeFolder(own);
      throw error;
    }
    this.#folders.add(trash.real);
    this.#lookLater(LOOK_MS);
  }

  /**
   * Removes what was deleted more than a day ago, after any earlier removal has ended: two at the same time
   * would make each other fail.
   */
  clean(): Promise<void> {
    return this.#cleaned = this.#cleaned.catch(() => {}).then(() => this.#clean());
  }

  async #clean(): Promise<void> {
    for (const trash of this.#folders) {
      if (!await this.root.disk(dirname(trash)).answers().then(() => true, () => false)) continue;
      const names = await Array.fromAsync(Deno.readDir(trash), ({ name }) => name).catch(() => []);
      let kept = 0;
      for (const name of names) {
        const [, day, hour, minute, second] = NAME.exec(name) ?? [];
        const deleted = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
        if (this.now() - deleted > KEPT_MS) {
          await Deno.remove(join(trash, name), { recursive: true }).catch(() => kept++);
        } else kept++;
      }
      if (kept) this.#lookLater(LOOK_MS);
      else if (names.length) await Deno.remove(trash).catch(() => {}); // something was deleted meanwhile
    }
  }

  /** Schedules a check for expired files, without keeping the program alive. */
  #lookLater(ms: number): void {
    if (!this.keeps || this.#timer !== undefined) return;
    const timer = setTimeout(() => {
      this.#timer = undefined;
      this.clean().catch(() => {});
    }, ms);
    Deno.unrefTimer(timer);
    this.#timer = timer;
  }

  /**
   * Opens the topmost folder on the same disk, so that moving a file there is instant. Each folder on the way
   * is opened from within its parent, so that none is a link.
   */
  #deviceRoot(folder: FolderHandle, name: string): FolderHandle {
    const { real } = this.root, moved = folder.stat(name);
    const names = folder.real.slice(real.length).split(SEPARATOR).filter((part) => part !== "");
    let at = FolderHandle.open({ real, info: Deno.lstatSync(real) }), best: FolderHandle | undefined;
    try {
      for (let depth = 0;; depth++) {
        if (!isOnSameMount(at.stat("."), moved)) {
          best?.[Symbol.dispose]();
          best = undefined;
        } else best ??= at;
        if (depth === names.length) break;
        const next = at.folder(names[depth]);
        if (at !== best) at[Symbol.dispose]();
        at = next;
      }
      return best ??= at;
    } finally {
      if (at !== best) at[Symbol.dispose]();
    }
  }
}

/** Makes a folder of the trash. @throws RequestError 507 that says how to delete on a full disk. */
function inTrash(make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!isFull(error)) throw error;
    const message = "The disk has no room for the trash, so nothing was deleted; --no-trash deletes at once.";
    throw new RequestError(507, message);
  }
}

/** Creates the trash folder if it does not exist. */
function makeTrash(folder: FolderHandle): void {
  try {
    folder.makeFolder(TRASH, 0o700);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}
