/** Archive members, in columns of shared memory: one thread writes the list, another reads it. */

import { attempt, BusyError, InputError, StateError } from "../../core/errors.ts";
import { type Identity, isSame, millisecondsOf } from "../identity.ts";
import { isMissing, notFound } from "../file_errors.ts";
import { openToReadSync } from "../open_file.ts";
import { isServable, type Resolved, Root, type RootData } from "../resolve.ts";

/** A file or folder in an archive. */
export interface Member {
  /** The member's path in the archive, with `/` between names; a folder's path ends with one. */
  name: string;
  /** The member's real path. */
  real: string;
  isFolder: boolean;
  /** Size of the member's content, in bytes; 0 for a folder. */
  size: number;
  /** Modification time, in milliseconds since 1970; 0 if the system reports none. */
  modified: number;
  /** POSIX permissions, such as 0o644. */
  mode: number;
  uid: number;
  gid: number;
  dev: number;
  ino: number;
  /** Status change time (`st_ctime`), in milliseconds since 1970; 0 if the system reports none. */
  changed: number;
}

/** Members as plain data, shared between threads. A member takes 90 bytes plus its path. */
export interface SharedMembers {
  count: number;
  /** All member paths in UTF-8, and where each begins. */
  names: SharedTexts;
  /** Real paths; empty for a member whose name below `base` is its real path. */
  reals: SharedTexts;
  /** {@linkcode NUMBERS} for each member. */
  numbers: Float64Array<SharedArrayBuffer>;
  /** The real path of the archive's folder. */
  base: string;
  /** The folder's name in the archive, ending with `/`. */
  top: string;
}

/** Texts in UTF-8, stored back to back. */
interface SharedTexts {
  bytes: Uint8Array<SharedArrayBuffer>;
  /** Where each text begins; the last value is where the last text ends. */
  starts: Float64Array<SharedArrayBuffer>;
}

/** The columns, in order. */
const NUMBERS = ["size", "modified", "changed", "mode", "uid", "gid", "dev", "ino", "isFolder"] as const;

const ENCODER = new TextEncoder();
/** A decoder that keeps U+FEFF at the beginning of names. */
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

class MemberList {
  count = 0;
  readonly #names = new GrowingTexts();
  readonly #reals = new GrowingTexts();
  #numbers = new Float64Array(64 * NUMBERS.length);

  /**
   * @param base The real path of the archive's folder.
   * @param top The folder's name in the archive, ending with `/`.
   */
  constructor(readonly base: string, readonly top: string) {}

  add(member: Member): void {
    this.#names.add(member.name);
    this.#reals.add(member.real === usualPath(this.base, this.top, member.name) ? "" : member.real);
    this.#numbers = withRoom(this.#numbers, (this.count + 1) * NUMBERS.length);
    NUMBERS.forEach((field, i) => this.#numbers[this.count * NUMBERS.length + i] = Number(member[field]));
    this.count++;
  }

  /** The members so far, in shared memory. */
  shared(): SharedMembers {
    return {
      count: this.count,
      names: this.#names.shared(),
      reals: this.#reals.shared(),
      numbers: sharedFloats(this.#numbers.subarray(0, this.count * NUMBERS.length)),
      base: this.base,
      top: this.top,
    };
  }
}

/**
 * The size of a member's content, in bytes, without decoding the member's texts as {@linkcode memberAt} does.
 */
export function sizeAt({ numbers }: SharedMembers, index: number): number {
  return numbers[index * NUMBERS.length + NUMBERS.indexOf("size")];
}

/**
 * Returns a member.
 * @param index From 0.
 */
export function memberAt(members: SharedMembers, index: number): Member {
  const { numbers, base, top } = members;
  const name = textAt(members.names, index);
  const number = (field: typeof NUMBERS[number]) => numbers[index * NUMBERS.length + NUMBERS.indexOf(field)];
  return {
    name,
    real: textAt(members.reals, index) || usualPath(base, top, name),
    isFolder: number("isFolder") === 1,
    size: number("size"),
    modified: number("modified"),
    changed: number("changed"),
    mode: number("mode"),
    uid: number("uid"),
    gid: number("gid"),
    dev: number("dev"),
    ino: number("ino"),
  };
}

/** Yields all members, in order. */
export function* membersOf(members: SharedMembers): Generator<Member> {
  for (let i = 0; i < members.count; i++) yield memberAt(members, i);
}

/** Returns an array of `count` zeros in shared memory. */
export function sharedZeros(count: number): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT));
}

function sharedFloats(values: Float64Array): Float64Array<SharedArrayBuffer> {
  const shared = sharedZeros(values.length);
  shared.set(values);
  return shared;
}

/** The path of a member that no link leads to. Windows accepts `/` as a separator too. */
function usualPath(base: string, top: string, name: string): string {
  const below = name.slice(top.length).replace(/\/$/, "");
  return below === "" ? base : `${base}${base.endsWith("/") ? "" : "/"}${below}`;
}

function textAt({ bytes, starts }: SharedTexts, index: number): string {
  return DECODER.decode(bytes.slice(starts[index], starts[index + 1])); // TextDecoder rejects shared memory
}

/** A list of texts that grows. */
class GrowingTexts {
  #bytes = new Uint8Array(1024);
  #starts = new Float64Array(64);
  #count = 0;

  add(text: string): void {
    const start = this.#starts[this.#count];
    this.#bytes = withRoom(this.#bytes, start + 3 * text.length); // at most three bytes per UTF-16 code unit
    const { written } = ENCODER.encodeInto(text, this.#bytes.subarray(start));
    this.#starts = withRoom(this.#starts, ++this.#count + 1);
    this.#starts[this.#count] = start + written;
  }

  shared(): SharedTexts {
    const bytes = new Uint8Array(new SharedArrayBuffer(this.#starts[this.#count]));
    bytes.set(this.#bytes.subarray(0, bytes.length));
    return { bytes, starts: sharedFloats(this.#starts.subarray(0, this.#count + 1)) };
  }
}

/** An array that can grow. */
type Growing = Uint8Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/**
 * Ensures that an array is long enough.
 * @param length In elements.
 * @returns The array, or a copy of at least twice its length that holds `length` elements.
 */
function withRoom<T extends Growing>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}

// Lists the members of a folder archive: all entries shown in the listings of the folder and its subfolders.

/** A folder to archive, as plain data that can be sent to another thread. */
export interface Source {
  /** The served folder. */
  root: RootData;
  /** The real path of the folder to archive. */
  folder: string;
  /** The device and inode number of the folder when it was found. */
  identity: Identity;
  /** The path that the request names, links not resolved. */
  lexicalPath: string;
  /** The folder's name in the archive. */
  name: string;
}

/** Maximum number of members. Links to folders could otherwise produce more than any disk holds. */
const MEMBERS_LIMIT = 5_000_000;
/** Maximum time for a walk, in milliseconds, because other requests wait for it. */
const LONGEST_MS = 10_000;
/** Number of members between checks of the clock. */
const MEMBERS_A_TURN = 256;
/** Permissions that let every user read a file. */
const READABLE = 0o444;

/** Limits of a walk. */
interface WalkOptions {
  /** Maximum number of members. */
  limit?: number;
  /** Maximum time for the walk, in milliseconds. */
  longestMs?: number;
  /** A flag that another thread sets to a nonzero value when the walk is no longer wanted. */
  stop?: Int32Array<SharedArrayBuffer>;
}

/**
 * Walks through a folder. Follows links as listings do, except links to a folder that contains the link or
 * that another link has already led to: otherwise two links per level would double the members at each level.
 * @returns The folder itself and everything in it, sorted by name, each folder before its contents. Files
 * that this user cannot read are skipped.
 * @throws RequestError 404 if the folder is gone or unreadable; InputError if there are too many members;
 * BusyError if the walk takes too long; StateError if no client waits for it any more.
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
  // Meanwhile another program may have replaced the folder with a link.
  if (!members.count || !root.leadsTo(lexicalPath, identity)) throw notFound();
  return members.shared();
}

/** A walk through folders, within its limits. */
class Walk {
  readonly #limit: number;
  readonly #longestMs: number;
  readonly #stop: Int32Array<SharedArrayBuffer> | undefined;
  readonly #end: number;
  /** Real paths of folders reached through links. */
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
   * Adds a folder and everything in it.
   * @param above The folders that contain it on this walk.
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

  /** Whether to enter a folder; remembers folders reached through links. */
  #isNew({ real, info, isLinked }: ItemPlace, around: readonly Identity[]): boolean {
    if (around.some((other) => isSame(other, info)) || isLinked && this.#linked.has(real)) return false;
    if (isLinked) this.#linked.add(real);
    return true;
  }

  #checkTurn(): void {
    if (this.#stop && Atomics.load(this.#stop, 0)) throw new StateError("the archive was cancelled");
    if (performance.now() <= this.#end) return;
    const seconds = this.#longestMs / 1000;
    throw new BusyError(`Listing the folder took more than ${seconds} s, too long for an archive.`);
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
  /** The path that a request for the member would name, links not resolved. */
  lexicalPath: string;
  /** The path in the archive, without a final slash. */
  name: string;
  /** Whether the entry itself is a link. */
  isLinked: boolean;
}

/**
 * @returns Names in an order that does not depend on the file system; undefined if the folder is unreadable.
 */
function namesIn(folder: string): string[] | undefined {
  return attempt(() =>
    Array.from(Deno.readDirSync(folder), ({ name }) => name).filter((name) => isServable(name)).sort()
  );
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
    return undefined; // the file has vanished, or deskhand cannot read it
  }
}

/** Windows accepts `/` as a separator too. */
function below(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

/** An archive in flight cannot skip a file any more. */
function isReadable({ real, info: { mode } }: ItemPlace): boolean {
  if (mode !== null && (mode & READABLE) === READABLE) return true;
  try {
    openToReadSync(real).close();
    return true;
  } catch {
    return false;
  }
}
