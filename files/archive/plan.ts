/** Plans the archive of a folder before any content is read. */

import { concat, sha256 } from "../../core/bytes.ts";
import { membersOf, type SharedMembers, sharedZeros, type Source, walk } from "./members.ts";
import { type Format, type Table, TAR, ZIP } from "./zip.ts";

// Where an archive's parts are, and how long the archive is.

/** Offsets in an archive, in bytes from its beginning, as plain data that threads share. */
interface ArchiveLayout {
  /** Where each member's header begins; the last value is where the last member ends. */
  starts: Float64Array<SharedArrayBuffer>;
  /** Where each member's record begins; the last value is where the archive's end record begins. */
  records: Float64Array<SharedArrayBuffer>;
  /** Length of the archive, in bytes. */
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
 * Finds the part that contains an offset.
 * @param starts Where parts begin, in order.
 * @returns The index of the last part that begins at or before the offset. An empty part begins where the
 * next part begins.
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

/** Archive formats, by the names used in requests and file extensions. */
export const FORMATS = { zip: ZIP, tar: TAR } satisfies Record<string, Format>;
/** One of {@linkcode FORMATS}. */
export type FormatName = keyof typeof FORMATS;

/** A planned archive, as plain data that threads share. */
export interface ArchivePlan {
  format: FormatName;
  members: SharedMembers;
  layout: ArchiveLayout;
  /** The checksum of each member's content read so far; empty if the format has no checksums. */
  checksums: Uint32Array<SharedArrayBuffer>;
  /** The number of bytes of each member's content included in its checksum. */
  summed: Float64Array<SharedArrayBuffer>;
  /** Changes with the format and with anything that the system reports about a member. */
  digest: string;
  /** The latest modification time of any member, in milliseconds since 1970. */
  modified: number;
  /** The latest time at which any member changed in any way, in milliseconds since 1970. */
  changed: number;
}

/** An archive to plan. Can be sent to another thread. */
export interface Order {
  source: Source;
  format: FormatName;
  /** Maximum time for the walk, in milliseconds. */
  longestMs?: number;
  /** A flag that is nonzero once the archive is cancelled. */
  stop?: Int32Array<SharedArrayBuffer>;
}

/**
 * Plans an archive. Meant for a Worker, because a large folder takes seconds.
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

/** Memory that a plan takes, in bytes. */
export function memoryOf({ members, layout, checksums, summed }: ArchivePlan): number {
  const { names, reals, numbers } = members;
  return [
    ...[names.bytes, names.starts, reals.bytes, reals.starts, numbers],
    ...[layout.starts, layout.records, checksums, summed],
  ].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

async function digestOf(format: FormatName, { names, numbers }: SharedMembers): Promise<string> {
  const parts = [new TextEncoder().encode(format), names.bytes, names.starts, numbers].map((part) =>
    // crypto.subtle.digest rejects shared memory.
    sha256(new Uint8Array(part.buffer, part.byteOffset, part.byteLength).slice())
  );
  return (await sha256(concat(...await Promise.all(parts)))).toHex().slice(0, 32);
}
