/**
 * Tar: headers as GNU tar writes them, which have room for any size, time and owner, with a header of POSIX.1-2001 (pax)
 * in front where a path is long or is not ASCII, which says that it is UTF-8: bsdtar on Windows takes other names for
 * names of the local code page. Plain POSIX headers would not do: with them `tar -d` compares fractions of seconds, of
 * which Deno (2.9.6) reports thousandths alone.
 */

import { type Bytes, concat } from "../../core/bytes.ts";
import { type Format, NOTHING } from "./format.ts";
import type { Member } from "./members.ts";

/** The size of a block: headers and contents are padded to a multiple of it. */
const BLOCK = 512;
/** Two empty blocks. */
const END = new Uint8Array(2 * BLOCK);
const ENCODER = new TextEncoder();

/** The offset of each field in a header, and its bytes. */
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
/** GNU's sign in place of `ustar\0` and a version. */
const MAGIC = "ustar  \0";
const FILE = "0", FOLDER = "5", EXTENDED = "x";

/** The form `tar`. */
export const TAR: Format = {
  type: "application/x-tar",
  hasChecksums: false,
  head(member) {
    const name = ENCODER.encode(member.name);
    const own = header({ ...member, name, type: member.isFolder ? FOLDER : FILE });
    const isPlain = name.length <= FIELDS.name[1] && name.every((byte) => byte < 0x80);
    return isPlain ? own : concat(extended(record("path", name)), own);
  },
  tail: ({ size }) => new Uint8Array(paddingOf(size)),
  record: () => NOTHING,
  end: () => END,
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
  const checksum = field("checksum").fill(0x20); // the sum counts its own field as blanks
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += block[i]; // reduce() takes several times as long
  putText(checksum, `${octal(sum, 6)}\0`);
  return block;
}

/** A member with extended attributes of the next member (POSIX, pax). */
function extended(content: Bytes): Bytes {
  const name = ENCODER.encode("pax-header");
  const about = { name, type: EXTENDED, mode: 0o644, uid: 0, gid: 0, size: content.length, modified: 0 };
  return concat(header(about), content, new Uint8Array(paddingOf(content.length)));
}

/** `LENGTH KEY=VALUE\n`, where the length counts itself. */
function record(key: string, value: Bytes): Bytes {
  const rest = ENCODER.encode(` ${key}=`), length = rest.length + value.length + 1;
  let whole = length;
  while (`${whole}`.length + length !== whole) whole = `${whole}`.length + length;
  return concat(ENCODER.encode(`${whole}`), rest, value, ENCODER.encode("\n"));
}

/** Writes a number as octal digits; larger numbers in GNU's form: a set bit, then two's complement. */
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
