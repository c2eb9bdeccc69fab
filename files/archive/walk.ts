/** Lists the members of a folder's archive: all entries that the listings of the folder and its subfolders show. */

import { BusyError, InputError, StateError } from "../../core/errors.ts";
import { isMissing, notFound } from "../file_errors.ts";
import { type Identity, isSame } from "../identity.ts";
import { openToReadSync } from "../opened.ts";
import { isServable } from "../paths.ts";
import { type Resolved, Root, type RootData } from "../resolve.ts";
import { millisecondsOf } from "../times.ts";
import { MemberList, type SharedMembers } from "./members.ts";

/** Folder to archive, as plain data, which can be sent to another thread. */
export interface Source {
  /** The folder that is served. */
  root: RootData;
  /** The real path of the folder to archive. */
  folder: string;
  /** The device and file number under which the folder was found. */
  identity: Identity;
  /** The path that the request names, without regard to links. */
  lexicalPath: string;
  /** The archive's name of the folder. */
  name: string;
}

/** Most members of an archive. Links to folders could otherwise make more than any disk holds. */
const MEMBERS_LIMIT = 5_000_000;
/** The time that a walk may take, in milliseconds: others wait for it. */
const LONGEST_MS = 10_000;
/** The number of members between two readings of the clock. */
const MEMBERS_A_TURN = 256;
/** Permissions by which every user may read a file. */
const READABLE = 0o444;

/** Bounds of a walk. */
export interface WalkOptions {
  /** The most members. */
  limit?: number;
  /** The longest time of the walk, in milliseconds. */
  longestMs?: number;
  /** A flag that is not 0 when the walk is no longer wanted; another thread sets it. */
  stop?: Int32Array<SharedArrayBuffer>;
}

/**
 * Walks through a folder. Links are followed, as in listings, except links to a folder that the walk is in, or that
 * another link has led to already: otherwise two links on each level would double the members with each level.
 * @returns The folder itself and all in it, sorted by name, each folder in front of its content. Files that this user
 * may not read are left out.
 * @throws RequestError 404 if the folder is gone or may not be read; InputError if there are too many members;
 * BusyError if the walk takes too long; StateError if no client waits for it any longer.
 */
export function walk(source: Source, options: WalkOptions = {}): SharedMembers {
  const { folder, identity, lexicalPath, name } = source, root = Root.of(source.root);
  const members = new MemberList(folder, `${name}/`);
  try {
    const place = { real: folder, lexicalPath, name, info: Deno.lstatSync(folder), isLinked: false };
    new Walk(root, members, options).addFolder(place, []);
  } catch (error) {
    throw isMissing(error) ? notFound() : error;
  }
  // Another program may have put a link in the folder's place since.
  if (!members.count || !root.leadsTo(lexicalPath, identity)) throw notFound();
  return members.shared();
}

/** A walk through folders, within its bounds. */
class Walk {
  readonly #limit: number;
  readonly #longestMs: number;
  readonly #stop: Int32Array<SharedArrayBuffer> | undefined;
  readonly #end: number;
  /** Real paths of the folders that links led to. */
  readonly #linked = new Set<string>();

  constructor(
    readonly root: Root,
    readonly members: MemberList,
    { limit = MEMBERS_LIMIT, longestMs = LONGEST_MS, stop }: WalkOptions,
  ) {
    [this.#limit, this.#longestMs, this.#stop] = [limit, longestMs, stop];
    this.#end = performance.now() + longestMs;
  }

  /**
   * Adds a folder and all in it.
   * @param above The folders that the walk is in.
   */
  addFolder(at: ItemPlace, above: readonly Identity[]): void {
    this.#checkTurn();
    const names = namesIn(at.real);
    if (!names) return;
    this.#add(at, true);
    const around = [...above, at.info];
    for (const name of names) {
      const place = placeOf(this.root, at, name);
      if (!place) continue;
      if (place.info.isFile) {
        if (isReadable(place)) this.#add(place, false);
      } else if (this.#isNew(place, around)) this.addFolder(place, around);
    }
  }

  /** Tells whether to enter a folder, and notes it if a link leads there. */
  #isNew({ real, info, isLinked }: ItemPlace, around: readonly Identity[]): boolean {
    if (around.some((other) => isSame(other, info)) || isLinked && this.#linked.has(real)) return false;
    if (isLinked) this.#linked.add(real);
    return true;
  }

  #checkTurn(): void {
    if (this.#stop && Atomics.load(this.#stop, 0)) throw new StateError("the archive is no longer wanted");
    if (performance.now() <= this.#end) return;
    const seconds = this.#longestMs / 1000;
    throw new BusyError(`To look through the folder takes more than ${seconds} s, too long for an archive.`);
  }

  #add({ real, name, info }: ItemPlace, isFolder: boolean): void {
    const { members } = this;
    if (members.count % MEMBERS_A_TURN === 0) this.#checkTurn();
    if (members.count === this.#limit) {
      throw new InputError(`The folder has more than ${this.#limit} entries, too many for one archive.`);
    }
    members.add({
      name: isFolder ? `${name}/` : name,
      real,
      isFolder,
      size: isFolder ? 0 : info.size,
      modified: millisecondsOf(info.mtime),
      changed: millisecondsOf(info.ctime),
      mode: info.mode === null ? (isFolder ? 0o755 : 0o644) : info.mode & 0o7777,
      uid: info.uid ?? 0,
      gid: info.gid ?? 0,
      dev: info.dev ?? 0,
      ino: info.ino ?? 0,
    });
  }
}

/** A file or folder on the walk. */
interface ItemPlace extends Resolved {
  /** The path that a request for the member would name, without regard to links. */
  lexicalPath: string;
  /** The path in the archive, without a final slash. */
  name: string;
  /** Tells whether the path's name is that of a link. */
  isLinked: boolean;
}

/** @returns In an order that does not depend on the file system; undefined if the folder may not be read. */
function namesIn(folder: string): string[] | undefined {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name).filter((name) => isServable(name)).sort();
  } catch {
    return undefined;
  }
}

/** @returns undefined if the file or folder is not served. */
function placeOf(root: Root, folder: ItemPlace, item: string): ItemPlace | undefined {
  const real = below(folder.real, item), lexicalPath = below(folder.lexicalPath, item);
  const name = `${folder.name}/${item}`;
  try {
    const info = Deno.lstatSync(real);
    if (info.isSymlink) return { ...root.resolve(lexicalPath), lexicalPath, name, isLinked: true };
    if (!info.isFile && !info.isDirectory || root.isExcluded(real, info)) return undefined;
    return { real, info, lexicalPath, name, isLinked: false };
  } catch {
    return undefined; // the file has vanished, or deskhand may not read it
  }
}

/** Windows takes `/` as a separator too. */
function below(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** An archive that has begun cannot leave a file out. */
function isReadable({ real, info: { mode } }: ItemPlace): boolean {
  if (mode !== null && (mode & READABLE) === READABLE) return true;
  try {
    openToReadSync(real).close();
    return true;
  } catch {
    return false;
  }
}
