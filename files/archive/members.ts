/** The members of an archive, in columns of shared memory: one thread writes the list, another reads it. */

import { withRoom } from "../listing/texts.ts";

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

/** Collects members. */
export class MemberList {
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
