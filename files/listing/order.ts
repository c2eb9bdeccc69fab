/** The order of entries. */

import type { Entries } from "./entries.ts";
import type { Sort, View } from "./entry.ts";

/** Compares the entries at two indexes. */
type Compare = (first: number, second: number) => number;

const COMPARE: Record<Sort, (entries: Entries) => Compare> = {
  name: (entries) => (a, b) => entries.compareNames(a, b),
  size: (entries) => (a, b) => entries.size(a) - entries.size(b) || entries.compareNames(a, b),
  time: (entries) => (a, b) => entries.time(a) - entries.time(b) || entries.compareNames(a, b),
};

/**
 * Sorts the entries that are described: folders first, then as the view asks, then by name.
 * @returns Their indexes, the first entry's first.
 */
export function ordered(entries: Entries, { sort, descending }: View): Uint32Array {
  const ascending = COMPARE[sort](entries);
  const compare: Compare = descending ? (a, b) => ascending(b, a) : ascending;
  const order = new Uint32Array(entries.count);
  let folders = 0, others = entries.count;
  for (let i = 0; i < entries.count; i++) {
    if (entries.isDescribed(i)) order[entries.isFolder(i) ? folders++ : --others] = i;
  }
  order.copyWithin(folders, others);
  const listed = order.subarray(0, folders + entries.count - others);
  listed.subarray(0, folders).sort(compare);
  listed.subarray(folders).sort(compare);
  return listed;
}
