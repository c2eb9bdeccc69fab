/** Reads parts of an archive. */

import { FileChangedError } from "../../core/errors.ts";
import { nodeModule } from "../../core/path.ts";
import { isMissing } from "../file_errors.ts";
import { openToReadSync } from "../open_file.ts";
import { millisecondsOf } from "../identity.ts";
import type { Bytes } from "../../core/bytes.ts";
import type { Format } from "./zip.ts";
import { type ArchivePlan, FORMATS, partAt, tableOf } from "./plan.ts";
import { type Member, memberAt, sizeAt } from "./members.ts";

/** A part of an archive. Can be sent to another thread. */
export interface Part {
  plan: ArchivePlan;
  /** Where the part begins, in bytes from the beginning of the archive. */
  start: number;
  /** Offset of the first byte after the part. */
  end: number;
}

/** Content to add to a member's checksum. */
export interface Sum {
  /** The member's index. */
  member: number;
  /** The offset in the content up to which the checksum must extend. */
  to: number;
}

/** Contents to read only for their checksums. Can be sent to another thread. */
export interface Sums {
  plan: ArchivePlan;
  sums: Sum[];
}

/**
 * Lists the contents whose checksums must be complete before a part can be read: contents that precede the
 * part, of members whose tail or record is in the part.
 */
export function* sumsFor({ plan, start, end }: Part): Generator<Sum> {
  const { members, layout: { starts, records }, summed } = plan, format: Format = FORMATS[plan.format];
  if (!summed.length) return;
  const need = (i: number): Sum => {
    if (starts[i + 1] <= start) return { member: i, to: sizeAt(members, i) };
    const member = memberAt(members, i);
    return { member: i, to: format.content.bytesBefore(start - contentStart(plan, i, member), member.size) };
  };
  // Of the members whose tail is in the part, only the first can have content before the part.
  const first = partAt(starts, start);
  if (first < members.count && starts[first] < start) {
    const tailStart = starts[first + 1] - format.tail(memberAt(members, first), 0).length;
    if (tailStart < end) yield need(first);
  }
  if (end <= records[0]) return;
  for (let i = partAt(records, start); i < members.count && records[i] < end; i++) {
    if (summed[i] < sizeAt(members, i)) yield need(i);
  }
}

/** Reads contents into checksums. @throws FileChangedError as {@linkcode readPart} does. */
export function addSums({ plan, sums }: Sums): Bytes {
  for (const { member, to } of sums) {
    const from = plan.summed[member];
    if (from >= to) continue; // meanwhile another range has read it
    const content = new Uint8Array(to - from);
    readContent(memberAt(plan.members, member), from, content);
    addToChecksum(plan, member, from, content);
  }
  return new Uint8Array(0);
}

/** Offset in the archive at which a member's content begins. */
function contentStart({ format, layout }: ArchivePlan, index: number, member: Member): number {
  return layout.starts[index] + FORMATS[format].head(member).length;
}

/**
 * Reads a part. The checksums that {@linkcode sumsFor} lists must have been read before.
 * @throws FileChangedError if a member has changed since the archive was planned.
 */
export function readPart({ plan, start, end }: Part): Bytes {
  const { members, layout, checksums } = plan;
  const { starts, records } = layout;
  const format: Format = FORMATS[plan.format];
  const window = new Window(start, end);
  for (let i = partAt(starts, start); i < members.count && starts[i] < end; i++) {
    const member = memberAt(members, i);
    const head = format.head(member), length = format.content.lengthOf(member.size);
    window.put(starts[i], head);
    const content = starts[i] + head.length;
    const room = window.overlap(content, content + length);
    if (room) {
      const place = room.at - content, from = format.content.bytesBefore(place, member.size);
      const to = format.content.bytesBefore(place + room.bytes.length, member.size);
      const bytes = to - from === room.bytes.length ? room.bytes : new Uint8Array(to - from);
      readContent(member, from, bytes);
      if (bytes !== room.bytes) format.content.write(place, room.bytes, bytes, member.size);
      if (format.hasChecksums) addToChecksum(plan, i, from, bytes);
    }
    window.put(content + length, format.tail(member, checksums[i]));
  }
  if (end > records[0]) {
    for (let i = partAt(records, start); i < members.count && records[i] < end; i++) {
      window.put(records[i], format.record(memberAt(members, i), checksums[i], starts[i]));
    }
    window.put(records[members.count], format.end(tableOf(layout)));
  }
  return window.bytes;
}

/**
 * Adds content to its member's checksum where it continues what this response or another has added before.
 */
function addToChecksum({ checksums, summed }: ArchivePlan, index: number, at: number, content: Bytes) {
  const known = summed[index] - at;
  if (known < 0 || known >= content.length) return;
  checksums[index] = nodeModule("node:zlib").crc32(content.subarray(known), checksums[index]);
  summed[index] = at + content.length;
}

/** @throws FileChangedError if the file was replaced or has changed since the plan. */
function readContent({ name, real, size, modified, dev, ino }: Member, from: number, into: Bytes): void {
  const changed = () => new FileChangedError(`${name} changed while being archived`);
  try {
    if (!Deno.lstatSync(real).isFile) throw changed(); // opening a device could have side effects
    using file = openToReadSync(real);
    if (!file.statSync().isFile) throw changed(); // the file was replaced after the check
    for (let at = 0; at < into.length;) {
      const read = file.readSync(into.subarray(at), from + at);
      if (!read) throw changed();
      at += read;
    }
    const now = file.statSync();
    const isSame = (now.dev ?? 0) === dev && (now.ino ?? 0) === ino;
    if (!isSame || now.size !== size || millisecondsOf(now.mtime) !== modified) throw changed();
  } catch (error) {
    throw isMissing(error) ? changed() : error;
  }
}

/** Buffer for the bytes of a part. */
class Window {
  readonly bytes: Bytes;

  constructor(readonly start: number, readonly end: number) {
    this.bytes = new Uint8Array(end - start);
  }

  /**
   * The slice of the buffer for bytes between two archive offsets; undefined if they are outside of the part.
   */
  overlap(start: number, end: number): { at: number; bytes: Bytes } | undefined {
    const from = Math.max(start, this.start), to = Math.min(end, this.end);
    if (from >= to) return undefined;
    return { at: from, bytes: this.bytes.subarray(from - this.start, to - this.start) };
  }

  /** Writes bytes at an archive offset into the buffer, skipping those outside of the part. */
  put(at: number, bytes: Bytes): void {
    const room = this.overlap(at, at + bytes.length);
    room?.bytes.set(bytes.subarray(room.at - at).subarray(0, room.bytes.length));
  }
}
