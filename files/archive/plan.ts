/** Plans the archive of a folder, before any content is read. */

import { membersOf, type SharedMembers, sharedZeros, type Source, walk } from "./members.ts";
import { type Format, type Table, TAR, ZIP } from "./zip.ts";

// The places of an archive's parts, and the archive's length.

/** Places in an archive, in bytes from its beginning. It is plain data, which threads share. */
interface ArchiveLayout {
  /** The beginning of each member's head; the last is the end of the last member. */
  starts: Float64Array<SharedArrayBuffer>;
  /** The beginning of each member's record; the last is the beginning of the archive's end. */
  records: Float64Array<SharedArrayBuffer>;
  /** Bytes of the archive. */
  length: number;
}

function layOut(format: Format, members: SharedMembers): ArchiveLayout {
  const { count } = members;
  const starts = sharedZeros(count + 1), records = sharedZeros(count + 1);
  let i = 0;
  for (const member of membersOf(members)) {
    const own = format.head(member).length + format.content.lengthOf(member.size) +
      format.tail(member, 0).length;
    starts[i + 1] = starts[i] + own;
    records[i + 1] = format.record(member, 0, starts[i]).length;
    i++;
  }
  records[0] = starts[count];
  for (i = 0; i < count; i++) records[i + 1] += records[i];
  const layout = { starts, records, length: 0 };
  return { ...layout, length: records[count] + format.end(tableOf(layout)).length };
}

/** The table of an archive. */
export function tableOf({ starts, records }: Omit<ArchiveLayout, "length">): Table {
  const count = starts.length - 1;
  return { count, start: records[0], length: records[count] - records[0] };
}

/**
 * Finds the part that a place is in.
 * @param starts Where parts begin, in order.
 * @returns The index of the last part that begins there or before. A part without bytes begins where the next part
 * begins.
 */
export function partAt(starts: ArrayLike<number>, place: number): number {
  let low = 0, high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle] <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The forms of archives, by the names that requests and files have for them. */
export const FORMATS = { zip: ZIP, tar: TAR } satisfies Record<string, Format>;
/** One of {@linkcode FORMATS}. */
export type FormatName = keyof typeof FORMATS;

/** Members of an archive, as plain data, which threads share. */
export interface ArchivePlan {
  format: FormatName;
  members: SharedMembers;
  layout: ArchiveLayout;
  /** The checksum of each member's content, as far as it was read; empty if the format has none. */
  checksums: Uint32Array<SharedArrayBuffer>;
  /** The number of bytes of each member's content that are in its checksum. */
  summed: Float64Array<SharedArrayBuffer>;
  /** Changes with all that the system reports of any member, and with the format. */
  digest: string;
  /** The latest time of modification of a member, in milliseconds since 1970. */
  modified: number;
  /** The latest time at which a member changed in any way, in milliseconds since 1970. */
  changed: number;
}

/** Archive to plan; can be sent to another thread. */
export interface Order {
  source: Source;
  format: FormatName;
  /** The time that the walk may take, in milliseconds. */
  longestMs?: number;
  /** A flag that is not 0 when the archive was cancelled. */
  stop?: Int32Array<SharedArrayBuffer>;
}

/**
 * Plans an archive. It is meant for a Worker: a large folder takes seconds.
 * @throws The errors of {@linkcode walk}.
 */
export async function planArchive({ source, format, longestMs, stop }: Order): Promise<ArchivePlan> {
  const members = walk(source, { longestMs, stop });
  let modified = 0, changed = 0;
  for (const member of membersOf(members)) {
    modified = Math.max(modified, member.modified);
    changed = Math.max(changed, member.modified, member.changed);
  }
  const checksums = FORMATS[format].hasChecksums ? members.count : 0;
  return {
    format,
    members,
    layout: layOut(FORMATS[format], members),
    checksums: new Uint32Array(new SharedArrayBuffer(4 * checksums)),
    summed: sharedZeros(checksums),
    digest: await digestOf(format, members),
    modified,
    changed,
  };
}

/** Bytes of memory that a plan takes. */
export function memoryOf({ members, layout, checksums, summed }: ArchivePlan): number {
  const { names, reals, numbers } = members;
  return [
    ...[names.bytes, names.starts, reals.bytes, reals.starts, numbers],
    ...[layout.starts, layout.records, checksums, summed],
  ].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

async function digestOf(format: FormatName, { names, numbers }: SharedMembers): Promise<string> {
  const parts = [new TextEncoder().encode(format), names.bytes, names.starts, numbers].map((part) =>
    // A digest takes no shared memory.
    crypto.subtle.digest("SHA-256", new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice())
  );
  const whole = await new Blob(await Promise.all(parts)).arrayBuffer();
  return new Uint8Array(await crypto.subtle.digest("SHA-256", whole)).toHex().slice(0, 32);
}
