/** Plans the archive of a folder, before any content is read. */

import type { Format } from "./format.ts";
import { type ArchiveLayout, layOut } from "./layout.ts";
import { membersOf, type SharedMembers, sharedZeros } from "./members.ts";
import { TAR } from "./tar.ts";
import { type Source, walk } from "./walk.ts";
import { ZIP } from "./zip.ts";

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
  /** One number: the place in the archive up to which contents were read into the checksums. */
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
  /** A flag that is not 0 when the archive is no longer wanted. */
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
    summed: sharedZeros(1),
    digest: await digestOf(format, members),
    modified,
    changed,
  };
}

/** Bytes of memory that a plan takes. */
export function memoryOf({ members, layout, checksums }: ArchivePlan): number {
  const { names, reals, numbers } = members;
  return [
    ...[names.bytes, names.starts, reals.bytes, reals.starts, numbers],
    ...[layout.starts, layout.records, checksums],
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
