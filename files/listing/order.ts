/** The order of entries. */

import type { Entries } from "./entries.ts";
import type { Sort, View } from "./entry.ts";
import { Texts } from "./texts.ts";

/** Compares the entries at two indexes. */
type Compare = (first: number, second: number) => number;

/**
 * Sorts entries: folders first, then as the view asks, then by name.
 * @returns Indexes of entries, the first entry's first.
 */
export function ordered(entries: Entries, { sort, descending }: View): Uint32Array {
  const ascending = comparison(entries, sort);
  const compare: Compare = descending ? (a, b) => ascending(b, a) : ascending;
  const order = new Uint32Array(entries.count);
  let folders = 0, files = entries.count;
  for (let i = 0; i < entries.count; i++) order[entries.isFolder(i) ? folders++ : --files] = i;
  order.subarray(0, folders).sort(compare);
  order.subarray(folders).sort(compare);
  return order;
}

function comparison(entries: Entries, sort: Sort): Compare {
  const keys = new Texts();
  for (let i = 0; i < entries.count; i++) keys.add(nameKey(entries.name(i)));
  const byName: Compare = (a, b) => keys.compareNaturally(a, b) || entries.compareNames(a, b);
  const compare: Record<Sort, Compare> = {
    name: byName,
    size: (a, b) => entries.size(a) - entries.size(b) || byName(a, b),
    time: (a, b) => entries.time(a) - entries.time(b) || byName(a, b),
  };
  return compare[sort];
}

/**
 * A name as it is compared: without case and accents. To compare such keys in UTF-8 takes a tenth of the time that
 * Intl.Collator takes.
 */
function nameKey(name: string): string {
  const lower = name.toLowerCase();
  // deno-lint-ignore no-control-regex -- the ASCII range begins there
  return /^[\x00-\x7f]*$/.test(lower) ? lower : lower.normalize("NFD").replace(/\p{M}/gu, "");
}
