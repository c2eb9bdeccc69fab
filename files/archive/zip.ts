/**
 * Zip (PKWARE's APPNOTE.TXT 6.3.10): contents stored, with their checksums behind them, names in UTF-8, times in UTC,
 * and the fields of 64 bits (zip64) where a size, an offset or the number of members needs them.
 */

import { type Bytes, concat } from "../../core/bytes.ts";
import { type Format, NOTHING, type Table } from "./format.ts";
import type { Member } from "./members.ts";

const LOCAL = 0x04034b50, DESCRIPTOR = 0x08074b50, CENTRAL = 0x02014b50;
const END = 0x06054b50, END_64 = 0x06064b50, LOCATOR_64 = 0x07064b50;
/** Version of the format that a reader needs: for folders, and for zip64. */
const VERSION = 20, VERSION_64 = 45;
/** The upper byte of the version: file attributes are Unix's. */
const UNIX = 3 << 8;
/** Bit 3: the checksum and the sizes stand behind the content; bit 11: the name is UTF-8. */
const FLAGS = { behind: 1 << 3, utf8: 1 << 11 };
/** Extra fields: zip64, and the time in seconds since 1970 (Info-ZIP, "UT"), which has no time zone. */
const EXTRA_64 = 0x0001, EXTRA_TIME = 0x5455;
const MAX_16 = 0xffff, MAX_32 = 0xffffffff;
/** Type bits of a Unix mode (POSIX, sys/stat.h), and the attribute of MS-DOS. */
const REGULAR = 0o100000, DIRECTORY = 0o040000, DOS_FOLDER = 0x10;
const ENCODER = new TextEncoder();

/** The form `zip`. */
export const ZIP: Format = {
  type: "application/zip",
  hasChecksums: true,
  head(member) {
    const name = ENCODER.encode(member.name), is64 = member.size >= MAX_32;
    const extra = concat(timeExtra(member), is64 ? extra64(0, 0) : NOTHING);
    const size = is64 ? MAX_32 : 0; // 0 means that the size stands behind the content
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
    const width = size >= MAX_32 ? 8 : 4;
    return bytes([4, DESCRIPTOR], [4, crc], [width, size], [width, size]);
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
  const large = [...size >= MAX_32 ? [size, size] : [], ...start >= MAX_32 ? [start] : []];
  const extra = concat(timeExtra(member), large.length ? extra64(...large) : NOTHING);
  const length = Math.min(size, MAX_32);
  const unixMode = (isFolder ? DIRECTORY : REGULAR) | mode;
  return concat(
    bytes([4, CENTRAL], [2, UNIX | VERSION_64], ...common(member, large.length > 0), [4, crc], [4, length]),
    bytes([4, length], [2, name.length], [2, extra.length], [2, 0], [2, 0], [2, 0]),
    bytes([2, isFolder ? DOS_FOLDER : 0], [2, unixMode], [4, Math.min(start, MAX_32)]),
    name,
    extra,
  );
}

/** Fields that stand in front of the checksum in both of a member's headers: version, flags, method, time and date. */
function common({ size, modified }: Member, is64: boolean): ZipField[] {
  const flags = FLAGS.utf8 | (size ? FLAGS.behind : 0);
  const [time, date] = dosTime(modified);
  return [[2, is64 ? VERSION_64 : VERSION], [2, flags], [2, 0], [2, time], [2, date]];
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

/** Writes the extra field of a time; empty for a time that 32 bits have no room for. */
function timeExtra({ modified }: Member): Bytes {
  const seconds = Math.floor(modified / 1000);
  if (seconds < -(2 ** 31) || seconds >= 2 ** 31) return NOTHING;
  return bytes([2, EXTRA_TIME], [2, 5], [1, 1], [4, seconds >>> 0]);
}

/**
 * Time and date of MS-DOS: from 1980 to 2107, in steps of two seconds. The format knows no time zone; deskhand writes
 * UTC.
 */
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
