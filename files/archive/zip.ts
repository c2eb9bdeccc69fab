/**
 * Zip (PKWARE's APPNOTE.TXT 6.3.10) and tar. Zip archives use deflate stored blocks followed by checksums
 * (Java and others can read these as a stream, but not the stored method), UTF-8 names, times in UTC, and
 * 64-bit fields (zip64) where a size, an offset or the number of members needs them.
 */

import { type Bytes, concat } from "../../core/bytes.ts";
import type { Member } from "./members.ts";

/** An encoding of contents whose length, and the position of each byte, follow from the file size. */
interface ContentForm {
  /** Encoded length of a content of `size` bytes. */
  lengthOf(size: number): number;
  /** Number of the file's bytes that precede a position in the encoded content. */
  bytesBefore(place: number, size: number): number;
  /**
   * Writes a part of the encoded content.
   * @param place Where the part begins.
   * @param into The part.
   * @param content The file's bytes within the part.
   */
  write(place: number, into: Bytes, content: Bytes, size: number): void;
}

/** Contents without encoding. */
const PLAIN: ContentForm = {
  lengthOf: (size) => size,
  bytesBefore: (place, size) => Math.min(Math.max(place, 0), size),
  write: (_place, into, content) => into.set(content),
};

/** Maximum bytes in a deflate stored block, and the size of its header (RFC 1951 section 3.2.4). */
const STORED_BYTES = 65_535, HEAD = 5;

/**
 * Contents as deflate stored blocks: as long as stored contents except for the block headers, but with an end
 * that stream readers can detect without knowing the length in advance.
 */
export const STORED_BLOCKS: ContentForm = {
  lengthOf: (size) => size + HEAD * Math.ceil(size / STORED_BYTES),
  bytesBefore(place, size) {
    const block = Math.floor(place / (STORED_BYTES + HEAD)), inside = place - block * (STORED_BYTES + HEAD);
    return Math.min(Math.max(block * STORED_BYTES + Math.max(inside - HEAD, 0), 0), size);
  },
  write(place, into, content, size) {
    let at = 0, read = 0;
    while (at < into.length) {
      const block = Math.floor((place + at) / (STORED_BYTES + HEAD)),
        inside = place + at - block * (STORED_BYTES + HEAD);
      const length = Math.min(STORED_BYTES, size - block * STORED_BYTES);
      if (inside < HEAD) {
        const head = blockHead(length, (block + 1) * STORED_BYTES >= size).subarray(inside);
        into.set(head.subarray(0, into.length - at), at);
        at += head.length;
      } else {
        const part = content.subarray(read, read + Math.min(length - (inside - HEAD), into.length - at));
        into.set(part, at);
        at += part.length;
        read += part.length;
      }
    }
  },
};

function blockHead(length: number, isLast: boolean): Bytes {
  const not = ~length & 0xffff;
  return Uint8Array.of(isLast ? 1 : 0, length & 0xff, length >> 8, not & 0xff, not >> 8);
}

// Parts shared by the archive formats.

/**
 * An archive format without compression, so that the archive's length and the position of each byte are known
 * before any content is read: for each member a header, the content and a tail; then a table with a record
 * for each member; then an end record. The length of a part does not depend on checksums.
 */
export interface Format {
  /** Media type. */
  type: string;
  /** Whether parts contain CRC-32 checksums of contents. */
  hasChecksums: boolean;
  /** The encoding of members' contents. */
  content: ContentForm;
  head(member: Member): Bytes;
  /** @param crc Checksum of the content. */
  tail(member: Member, crc: number): Bytes;
  /** @param start Where the member's header begins. */
  record(member: Member, crc: number, start: number): Bytes;
  end(table: Table): Bytes;
}

/** The table of an archive. */
export interface Table {
  /** Number of records in the table. */
  count: number;
  /** Offset of the table's first byte. */
  start: number;
  /** Length of the table, in bytes. */
  length: number;
}

const NOTHING: Bytes = new Uint8Array(0);

const LOCAL = 0x04034b50, DESCRIPTOR = 0x08074b50, CENTRAL = 0x02014b50;
const END = 0x06054b50, END_64 = 0x06064b50, LOCATOR_64 = 0x07064b50;
/** Format version that a reader must support: for folders, and for zip64. */
const VERSION = 20, VERSION_64 = 45;
/** The upper byte of the version: file attributes are those of Unix. */
const UNIX = 3 << 8;
/** Bit 3: the checksum and sizes follow the content; bit 11: the name is UTF-8. */
const FLAGS = { behind: 1 << 3, utf8: 1 << 11 };
/** Extra fields: zip64, and the time in seconds since 1970 (Info-ZIP, "UT"), which has no time zone. */
const EXTRA_64 = 0x0001, EXTRA_TIME = 0x5455;
const MAX_16 = 0xffff, MAX_32 = 0xffffffff;
/** File type bits of a Unix mode (POSIX, sys/stat.h), and the MS-DOS folder attribute. */
const REGULAR = 0o100000, DIRECTORY = 0o040000, DOS_FOLDER = 0x10;
/** The deflate method; members without content are stored. */
const DEFLATED = 8;
const ENCODER = new TextEncoder();
/** Length of a content in the archive. */
const packed = STORED_BLOCKS.lengthOf;

/** The `zip` format. */
export const ZIP: Format = {
  type: "application/zip",
  hasChecksums: true,
  content: STORED_BLOCKS,
  head(member) {
    const name = ENCODER.encode(member.name), is64 = packed(member.size) >= MAX_32;
    const extra = concat(timeExtra(member), is64 ? extra64(0, 0) : NOTHING);
    const size = is64 ? MAX_32 : 0; // 0 means that the size follows the content
    return concat(
      bytes([4, LOCAL], ...common(member, is64), [4, 0], [4, size], [4, size], [2, name.length], [
        2,
        extra.length,
      ]),
      name,
      extra,
    );
  },
  tail({ size }, crc) {
    if (!size) return NOTHING;
    const width = packed(size) >= MAX_32 ? 8 : 4;
    return bytes([4, DESCRIPTOR], [4, crc], [width, packed(size)], [width, size]);
  },
  record: centralRecord,
  end(table) {
    const { count, start, length } = table;
    const is64 = count >= MAX_16 || start >= MAX_32 || length >= MAX_32;
    const entries = Math.min(count, MAX_16);
    return concat(
      is64 ? end64(table) : NOTHING,
      bytes([4, END], [2, 0], [2, 0], [2, entries], [2, entries]),
      bytes([4, Math.min(length, MAX_32)], [4, Math.min(start, MAX_32)], [2, 0]),
    );
  },
};

function centralRecord(member: Member, crc: number, start: number): Bytes {
  const { size, isFolder, mode } = member;
  const name = ENCODER.encode(member.name);
  const is64 = packed(size) >= MAX_32;
  const large = [...is64 ? [size, packed(size)] : [], ...start >= MAX_32 ? [start] : []];
  const extra = concat(timeExtra(member), large.length ? extra64(...large) : NOTHING);
  const [length, packedLength] = is64 ? [MAX_32, MAX_32] : [size, packed(size)];
  const unixMode = (isFolder ? DIRECTORY : REGULAR) | mode;
  return concat(
    bytes([4, CENTRAL], [2, UNIX | VERSION_64], ...common(member, large.length > 0), [4, crc], [
      4,
      packedLength,
    ]),
    bytes([4, length], [2, name.length], [2, extra.length], [2, 0], [2, 0], [2, 0]),
    bytes([2, isFolder ? DOS_FOLDER : 0], [2, unixMode], [4, Math.min(start, MAX_32)]),
    name,
    extra,
  );
}

/** Fields that precede the checksum in both of a member's headers: version, flags, method, time and date. */
function common({ size, modified }: Member, is64: boolean): ZipField[] {
  const flags = FLAGS.utf8 | (size ? FLAGS.behind : 0);
  const [time, date] = dosTime(modified);
  return [[2, is64 ? VERSION_64 : VERSION], [2, flags], [2, size ? DEFLATED : 0], [2, time], [2, date]];
}

/** The zip64 end record of an archive, and the locator that points to it. */
function end64({ count, start, length }: Table): Bytes {
  return concat(
    bytes([4, END_64], [8, 44], [2, UNIX | VERSION_64], [2, VERSION_64], [4, 0], [4, 0]),
    bytes([8, count], [8, count], [8, length], [8, start]),
    bytes([4, LOCATOR_64], [4, 0], [8, start + length], [4, 1]),
  );
}

function extra64(...values: number[]): Bytes {
  return bytes([2, EXTRA_64], [2, 8 * values.length], ...values.map((value): ZipField => [8, value]));
}

/** The extra field for a time; empty if the time does not fit into 32 bits. */
function timeExtra({ modified }: Member): Bytes {
  const seconds = Math.floor(modified / 1000);
  if (seconds < -(2 ** 31) || seconds >= 2 ** 31) return NOTHING;
  return bytes([2, EXTRA_TIME], [2, 5], [1, 1], [4, seconds >>> 0]);
}

/** MS-DOS time and date: 1980 to 2107, in steps of two seconds. It has no time zone; deskhand writes UTC. */
function dosTime(milliseconds: number): [time: number, date: number] {
  const range = [Date.UTC(1980, 0, 1), Date.UTC(2107, 11, 31, 23, 59, 58)];
  const at = new Date(Math.min(Math.max(milliseconds, range[0]), range[1]));
  return [
    at.getUTCHours() << 11 | at.getUTCMinutes() << 5 | at.getUTCSeconds() >> 1,
    at.getUTCFullYear() - 1980 << 9 | at.getUTCMonth() + 1 << 5 | at.getUTCDate(),
  ];
}

/** A number in little-endian order, and how many bytes it takes. */
type ZipField = [width: 1 | 2 | 4 | 8, value: number];

function bytes(...fields: ZipField[]): Bytes {
  const all = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(all.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 1) view.setUint8(at, value);
    else if (width === 2) view.setUint16(at, value, true);
    else if (width === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += width;
  }
  return all;
}

// Tar: GNU headers, which have room for any size, time and owner. If a path is long or not ASCII, a
// POSIX.1-2001 (pax) header precedes them and declares it as UTF-8, because bsdtar on Windows otherwise
// assumes the local code page. Plain POSIX headers would not do: with them, `tar -d` compares fractions of
// seconds, but Deno (2.9.6) reports only milliseconds.

/** Block size: headers and contents are padded to a multiple of it. */
const BLOCK = 512;
/** Two empty blocks. */
const TAR_END = new Uint8Array(2 * BLOCK);

/** Offset and length of each field in a header, in bytes. */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  modified: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const;
/** GNU's magic in place of `ustar\0` and a version. */
const MAGIC = "ustar  \0";
const FILE = "0", FOLDER = "5", EXTENDED = "x";

/** The `tar` format. */
export const TAR: Format = {
  type: "application/x-tar",
  hasChecksums: false,
  content: PLAIN,
  head(member) {
    const name = ENCODER.encode(member.name);
    const own = header({ ...member, name, type: member.isFolder ? FOLDER : FILE });
    const isPlain = name.length <= FIELDS.name[1] && name.every((byte) => byte < 0x80);
    return isPlain ? own : concat(extended(record("path", name)), own);
  },
  tail: ({ size }) => new Uint8Array(paddingOf(size)),
  record: () => NOTHING,
  end: () => TAR_END,
};

/** Fields of a header. */
type Header = Pick<Member, "mode" | "uid" | "gid" | "size" | "modified"> & { name: Bytes; type: string };

function header({ name, type, mode, uid, gid, size, modified }: Header): Bytes {
  const block = new Uint8Array(BLOCK);
  const field = (which: keyof typeof FIELDS) =>
    block.subarray(FIELDS[which][0]).subarray(0, FIELDS[which][1]);
  field("name").set(name.subarray(0, FIELDS.name[1]));
  putNumber(field("mode"), mode);
  putNumber(field("uid"), uid);
  putNumber(field("gid"), gid);
  putNumber(field("size"), size);
  putNumber(field("modified"), Math.floor(modified / 1000));
  putText(field("type"), type);
  putText(field("magic"), MAGIC);
  const checksum = field("checksum").fill(0x20); // the checksum counts its own field as blanks
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += block[i]; // reduce() takes several times as long
  putText(checksum, `${octal(sum, 6)}\0`);
  return block;
}

/** A pax member with extended attributes of the next member (POSIX). */
function extended(content: Bytes): Bytes {
  const name = ENCODER.encode("pax-header");
  const about = { name, type: EXTENDED, mode: 0o644, uid: 0, gid: 0, size: content.length, modified: 0 };
  return concat(header(about), content, new Uint8Array(paddingOf(content.length)));
}

/** `LENGTH KEY=VALUE\n`, where the length includes itself. */
function record(key: string, value: Bytes): Bytes {
  const rest = ENCODER.encode(` ${key}=`), length = rest.length + value.length + 1;
  let whole = length;
  while (`${whole}`.length + length !== whole) whole = `${whole}`.length + length;
  return concat(ENCODER.encode(`${whole}`), rest, value, ENCODER.encode("\n"));
}

/**
 * Writes a number as octal digits; larger numbers in GNU's base-256 form: a set bit, then two's complement.
 */
function putNumber(field: Bytes, value: number): void {
  const digits = field.length - 1;
  if (value >= 0 && value < 8 ** digits) return putText(field, `${octal(value, digits)}\0`);
  let rest = BigInt(value);
  for (let i = field.length - 1; i >= 0; i--, rest >>= 8n) field[i] = Number(rest & 0xffn);
  field[0] |= 0x80;
}

function putText(field: Bytes, text: string): void {
  ENCODER.encodeInto(text, field);
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

function paddingOf(size: number): number {
  return (BLOCK - size % BLOCK) % BLOCK;
}
