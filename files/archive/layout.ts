/** The places of an archive's parts, and the archive's length. */

import type { Format, Table } from "./format.ts";
import { membersOf, type SharedMembers, sharedZeros } from "./members.ts";

/** Places in an archive, in bytes from its beginning. It is plain data, which threads share. */
export interface ArchiveLayout {
  /** The beginning of each member's head; the last is the end of the last member. */
  starts: Float64Array<SharedArrayBuffer>;
  /** The beginning of each member's record; the last is the beginning of the archive's end. */
  records: Float64Array<SharedArrayBuffer>;
  /** Bytes of the archive. */
  length: number;
}

/** Lays an archive out. */
export function layOut(format: Format, members: SharedMembers): ArchiveLayout {
  const { count } = members;
  const starts = sharedZeros(count + 1), records = sharedZeros(count + 1);
  let i = 0;
  for (const member of membersOf(members)) {
    const own = format.head(member).length + member.size + format.tail(member, 0).length;
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
