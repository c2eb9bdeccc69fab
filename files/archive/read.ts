/** Reads parts of an archive. */

import { FileChangedError } from "../../core/errors.ts";
import { nodeModule } from "../../core/path.ts";
import { isMissing } from "../pages.ts";
import { openToReadSync } from "../resolve.ts";
import { millisecondsOf } from "../identity.ts";
import type { Bytes } from "../../core/bytes.ts";
import type { Format } from "./zip.ts";
import { type ArchivePlan, FORMATS, partAt, tableOf } from "./plan.ts";
import { type Member, memberAt } from "./members.ts";

/** A part of an archive. It can be sent to another thread. */
export interface Part {
  plan: ArchivePlan;
  /** The beginning of the part from the archive's beginning, in bytes. */
  start: number;
  /** The first byte behind the part. */
  end: number;
}

/**
 * Reads a part. If the format has checksums, everything before the part must have been read already.
 * @throws FileChangedError if a member has changed since the archive was planned.
 */
export function readPart({ plan, start, end }: Part): Bytes {
  const { members, layout, checksums } = plan;
  const { starts, records } = layout;
  const format: Format = FORMATS[plan.format];
  const window = new Window(start, end);
  for (let i = partAt(starts, start); i < members.count && starts[i] < end; i++) {
    const member = memberAt(members, i);
    const head = format.head(member);
    window.put(starts[i], head);
    const content = starts[i] + head.length;
    const room = window.overlap(content, content + member.size);
    if (room) {
      readContent(member, room.at - content, room.bytes);
      if (format.hasChecksums) addToChecksum(plan, i, room.at, room.bytes);
    }
    window.put(content + member.size, format.tail(member, checksums[i]));
  }
  if (end > records[0]) {
    for (let i = partAt(records, start); i < members.count && records[i] < end; i++) {
      window.put(records[i], format.record(memberAt(members, i), checksums[i], starts[i]));
    }
    window.put(records[members.count], format.end(tableOf(layout)));
  }
  return window.bytes;
}

/** Adds content to its member's checksum, unless it was added before, for another range of the same answer. */
function addToChecksum({ checksums, summed }: ArchivePlan, index: number, at: number, content: Bytes) {
  const fresh = content.subarray(Math.max(summed[0] - at, 0));
  if (!fresh.length) return;
  checksums[index] = nodeModule("node:zlib").crc32(fresh, checksums[index]);
  summed[0] = at + content.length;
}

/** @throws FileChangedError if the file was replaced or has changed since the plan. */
function readContent({ name, real, size, modified, dev, ino }: Member, from: number, into: Bytes): void {
  const changed = () => new FileChangedError(`${name} changed while it was sent in an archive`);
  try {
    if (!Deno.lstatSync(real).isFile) throw changed(); // to open a device may do something
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

/** Room for the bytes of a part. */
class Window {
  readonly bytes: Bytes;

  constructor(readonly start: number, readonly end: number) {
    this.bytes = new Uint8Array(end - start);
  }

  /** The part of the buffer for bytes between two offsets of the archive; undefined if they are outside of it. */
  overlap(start: number, end: number): { at: number; bytes: Bytes } | undefined {
    const from = Math.max(start, this.start), to = Math.min(end, this.end);
    if (from >= to) return undefined;
    return { at: from, bytes: this.bytes.subarray(from - this.start, to - this.start) };
  }

  /** Writes bytes of a given archive offset into the buffer, as far as they are inside of it. */
  put(at: number, bytes: Bytes): void {
    const room = this.overlap(at, at + bytes.length);
    room?.bytes.set(bytes.subarray(room.at - at).subarray(0, room.bytes.length));
  }
}
