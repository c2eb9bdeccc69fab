/** Entries in order, sorted in turns with other requests: at once, 100,000 would hold those for half a second. */

import { type Entry, RUN, type Sort, type View } from "./entry.ts";
import { Pace } from "./pace.ts";

/** Entries that are sorted at once, which takes some 10 ms. */
const SORTED_AT_ONCE = 10_000;

interface Keyed {
  entry: Entry;
  /** The name as it is compared. */
  key: string;
}

type Compare = (a: Keyed, b: Keyed) => number;

const byName: Compare = (a, b) =>
  a.key < b.key ? -1 : a.key > b.key ? 1 : a.entry.name < b.entry.name ? -1 : 1;

const COMPARE: Record<Sort, Compare> = {
  name: byName,
  size: (a, b) => (a.entry.size ?? 0) - (b.entry.size ?? 0) || byName(a, b),
  time: (a, b) => (a.entry.modified?.getTime() ?? 0) - (b.entry.modified?.getTime() ?? 0) || byName(a, b),
};

/**
 * Sorts entries: folders first, then as the view asks, then by name.
 * @returns Another array.
 */
export async function ordered(entries: readonly Entry[], { sort, descending }: View): Promise<Entry[]> {
  const ascending = COMPARE[sort];
  const compare: Compare = descending ? (a, b) => ascending(b, a) : ascending;
  const folders = entries.filter(({ folder }) => folder), files = entries.filter(({ folder }) => !folder);
  return [...await sorted(folders, compare), ...await sorted(files, compare)];
}

async function sorted(entries: readonly Entry[], compare: Compare): Promise<Entry[]> {
  const pace = new Pace();
  let runs: Keyed[][] = [];
  for (let i = 0; i < entries.length; i += SORTED_AT_ONCE) {
    const run = entries.slice(i, i + SORTED_AT_ONCE).map((entry) => ({ entry, key: nameKey(entry.name) }));
    runs.push(run.sort(compare));
    if (pace.isOver) await pace.turn();
  }
  while (runs.length > 1) {
    const merged: Keyed[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(i + 1 < runs.length ? await merge(runs[i], runs[i + 1], compare, pace) : runs[i]);
    }
    runs = merged;
  }
  return (runs[0] ?? []).map(({ entry }) => entry);
}

/**
 * A name as it is compared: without case and accents, and with numbers by their value. Comparing such keys takes a
 * tenth of the time that Intl.Collator takes.
 */
export function nameKey(name: string): string {
  const plain = name.toLowerCase();
  // deno-lint-ignore no-control-regex -- the ASCII range begins there
  const bare = /^[\x00-\x7f]*$/.test(plain) ? plain : plain.normalize("NFD").replace(/\p{M}/gu, "");
  return bare.replace(
    /0*(\d+)/g,
    (_, digits: string) => `0${String(digits.length).padStart(3, "0")}${digits}`,
  );
}

async function merge(
  a: Keyed[],
  b: Keyed[],
  compare: Compare,
  pace: Pace,
): Promise<Keyed[]> {
  const merged: Keyed[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    merged.push(j >= b.length || i < a.length && compare(a[i], b[j]) <= 0 ? a[i++] : b[j++]);
    if (merged.length % RUN === 0 && pace.isOver) await pace.turn();
  }
  return merged;
}
