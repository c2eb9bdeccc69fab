/** The members of an archive, in columns of shared memory: one thread writes the list, another reads it. */

import { attempt, BusyError, InputError, StateError } from "../../core/errors.ts";
import { type Identity, isSame, millisecondsOf } from "../identity.ts";
import { isMissing, notFound } from "../file_errors.ts";
import { isServable, openToReadSync, type Resolved, Root, type RootData } from "../resolve.ts";

/** A file or folder in an archive. */
export interface Member {
  /** The member's path in the archive, with `/` between names; a folder's path ends with one. */
  name: string;
  /** The member's real path. */
  real: string;
  isFolder: boolean;
  /** The number of bytes of the member's content; 0 for a folder. */
  size: number;
  /** Time of modification, in milliseconds since 1970; 0 if the system has none. */
  modified: number;
  /** Permissions as POSIX has them, such as 0o644. */
  mode: number;
  uid: number;
  gid: number;
  dev: number;
  ino: number;
  /** Time of the last change (`st_ctime`), in milliseconds since 1970; 0 if the system has none. */
  changed: number;
}

/** Members as plain data, which threads share. A member takes 90 bytes and its path. */
export interface SharedMembers {
  count: number;
  /** The paths of all members in UTF-8, and where each begins. */
  names: SharedTexts;
  /** Real paths; empty for a member whose name below `base` is its real path. */
  reals: SharedTexts;
  /** {@linkcode NUMBERS} for each member. */
  numbers: Float64Array<SharedArrayBuffer>;
  /** The real path of the archive's folder. */
  base: string;
  /** The archive's name of that folder, which ends with `/`. */
  top: string;
}

/** Texts in UTF-8, one behind the other. */
interface SharedTexts {
  bytes: Uint8Array<SharedArrayBuffer>;
  /** The beginning of each text; the last is the end of the last text. */
  starts: Float64Array<SharedArrayBuffer>;
}

/** The columns, in their order. */
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
   * @param top The archive's name of it, which ends with `/`.
   */
  constructor(readonly base: string, readonly top: string) {}

  add(member: Member): void {
    this.#names.add(member.name);
    this.#reals.add(member.real === usualPath(this.base, this.top, member.name) ? "" : member.real);
    this.#numbers = withRoom(this.#numbers, (this.count + 1) * NUMBERS.length);
    NUMBERS.forEach((field, i) => this.#numbers[this.count * NUMBERS.length + i] = Number(member[field]));
    this.count++;
  }

  /** The members so far, in memory that threads share. */
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

/** The number of bytes of a member's content, without reading the member's texts as {@linkcode memberAt} does. */
export function sizeAt({ numbers }: SharedMembers, index: number): number {
  return numbers[index * NUMBERS.length + NUMBERS.indexOf("size")];
}

/**
 * Gives a member.
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

/** Gives all members, in order. */
export function* membersOf(members: SharedMembers): Generator<Member> {
  for (let i = 0; i < members.count; i++) yield memberAt(members, i);
}

/** Makes `count` zeros in shared memory. */
export function sharedZeros(count: number): Float64Array<SharedArrayBuffer> {
  return new Float64Array(new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT));
}

function sharedFloats(values: Float64Array): Float64Array<SharedArrayBuffer> {
  const shared = sharedZeros(values.length);
  shared.set(values);
  return shared;
}

/** Gives the path of a member that no link leads to. Windows takes `/` as a separator too. */
function usualPath(base: string, top: string, name: string): string {
  const below = name.slice(top.length).replace(/\/$/, "");
  return below === "" ? base : `${base}${base.endsWith("/") ? "" : "/"}${below}`;
}

function textAt({ bytes, starts }: SharedTexts, index: number): string {
  return DECODER.decode(bytes.slice(starts[index], starts[index + 1])); // a decoder takes no shared memory
}

/** A list of texts that grows. */
class GrowingTexts {
  #bytes = new Uint8Array(1024);
  #starts = new Float64Array(64);
  #count = 0;

  add(text: string): void {
    const start = this.#starts[this.#count];
    this.#bytes = withRoom(this.#bytes, start + 3 * text.length); // a UTF-16 code unit takes three bytes at most
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
 * Makes room in an array.
 * @param length In elements.
 * @returns The array, or a copy of at least twice its length that holds `length` elements.
 */
function withRoom<T extends Growing>(array: T, length: number): T {
  if (length <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => T)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}

// Lists the members of a folder's archive: all entries that the listings of the folder and its subfolders
// show.

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
interface WalkOptions {
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

  /** Whether to enter a folder, and notes it if a link leads there. */
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
  /** The path that a request for the member would name, without regard to links. */
  lexicalPath: string;
  /** The path in the archive, without a final slash. */
  name: string;
  /** Whether the path's name is that of a link. */
  isLinked: boolean;
}

/** @returns In an order that does not depend on the file system; undefined if the folder may not be read. */
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
