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
 * Sorts entries: folders first, then as the view asks, then by name.
 * @returns Indexes of entries, the first entry's first.
 */
export function ordered(entries: Entries, { sort, descending }: View): Uint32Array {
  const ascending = COMPARE[sort](entries);
  const compare: Compare = descending ? (a, b) => ascending(b, a) : ascending;
  const order = new Uint32Array(entries.count);
  let folders = 0, files = entries.count;
  for (let i = 0; i < entries.count; i++) order[entries.isFolder(i) ? folders++ : --files] = i;
  order.subarray(0, folders).sort(compare);
  order.subarray(folders).sort(compare);
  return order;
}
