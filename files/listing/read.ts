/** Reading a folder. */

import { SEPARATOR } from "../../core/path.ts";
import type { Root } from "../resolve.ts";
import { Entries, infoOf, propertiesOf, servableOnce, type Sort, type View } from "./entries.ts";
import { KEY_LENGTH } from "./texts.ts";

/** Names that are described at once, in 2 ms. */
const BLOCK = 500;

/** A folder that is read. */
interface Folder {
  /** The folder's real path. */
  real: string;
  /** The path that the request names, without regard to links. */
  lexicalPath: string;
}

/** Options of a reading. */
interface Reading {
  /** The most items that the folder may have; any number if left out. */
  limit?: number;
  /** Tells whether a name is to be listed; all are if left out. */
  isWanted?: (name: string) => boolean;
}

/**
 * Reads a folder's entries, and the system's information about each. Entries are described while the system reads
 * further ones. Only the columns hold the names: waiting objects would make V8's young generation grow by 45 MB.
 * @returns The entries that can be served, in no order; undefined if there are more items than the limit.
 * @throws The errors of Deno.readDir, such as Deno.errors.NotFound.
 */
export async function readEntries(
  root: Root,
  { real, lexicalPath }: Folder,
  { limit = Infinity, isWanted = () => true }: Reading,
): Promise<Entries | undefined> {
  const entries = new Entries(), servable = servableOnce();
  let items = 0, described = 0, isPlanned = false;
  const describe = () => {
    isPlanned = false;
    while (described < entries.count) {
      const length = Math.min(BLOCK, entries.count - described);
      for (const name of entries.names(Uint32Array.from({ length }, (_, i) => described + i))) {
        const info = infoOf(root, real + SEPARATOR + name, lexicalPath + SEPARATOR + name);
        if (info) entries.describe(described, propertiesOf(info));
        described++;
      }
    }
  };
  for await (const { name } of Deno.readDir(real)) {
    if (++items > limit) return undefined;
    if (isWanted(name) && servable(name)) entries.add(name);
    if (entries.count - described < BLOCK || isPlanned) continue;
    setImmediate(describe);
    isPlanned = true;
  }
  describe();
  return entries;
}

// The order of entries.

/** Values by which entries are sorted before their names. */
const VALUE: Record<Exclude<Sort, "name">, (entries: Entries) => (index: number) => number> = {
  size: (entries) => (index) => entries.size(index),
  time: (entries) => (index) => entries.time(index),
};

/**
 * Sorts the entries that are described: folders first, then as the view asks, then by name.
 * @returns Their indexes, the first entry's first.
 */
export function ordered(entries: Entries, view: View): Uint32Array {
  const order = new Uint32Array(entries.count);
  let folders = 0, others = entries.count;
  for (let i = 0; i < entries.count; i++) {
    if (entries.isDescribed(i)) order[entries.isFolder(i) ? folders++ : --others] = i;
  }
  order.copyWithin(folders, others);
  const listed = order.subarray(0, folders + entries.count - others);
  sortPart(entries, listed.subarray(0, folders), view);
  sortPart(entries, listed.subarray(folders), view);
  return listed;
}

function sortPart(entries: Entries, indexes: Uint32Array, { sort, descending }: View): void {
  sortByName(entries, indexes);
  if (sort !== "name") {
    const value = VALUE[sort](entries);
    indexes.sort((a, b) => value(a) - value(b)); // stable: names stay in order where values are equal
  }
  if (descending) indexes.reverse();
}

/** The places of 32 bits in 64, on the little-endian processors that Deno runs on. */
const LOW = 0, HIGH = 1;

/**
 * Sorts by name. The bits of each key after the common beginning are sorted as one number, together with the name's
 * index; only names with equal bits are compared.
 */
function sortByName(entries: Entries, indexes: Uint32Array): void {
  const placeBits = Math.max(1, Math.ceil(Math.log2(indexes.length)));
  const from = commonLength(entries, indexes);
  const sorted = new BigUint64Array(indexes.length), words = new Uint32Array(sorted.buffer);
  const key = new Uint8Array(KEY_LENGTH + 8), view = new DataView(key.buffer);
  indexes.forEach((index, place) => {
    entries.writeKey(index, key);
    words[2 * place + HIGH] = view.getUint32(from);
    words[2 * place + LOW] = (view.getUint32(from + 4) & -(2 ** placeBits)) | place;
  });
  sorted.sort();
  const names = indexes.slice(), placeMask = 2 ** placeBits - 1;
  const differ = (a: number, b: number) =>
    words[2 * a + HIGH] !== words[2 * b + HIGH] || (words[2 * a + LOW] ^ words[2 * b + LOW]) & ~placeMask;
  for (let begin = 0, end; begin < indexes.length; begin = end) {
    for (end = begin; end < indexes.length && !differ(begin, end); end++) {
      indexes[end] = names[words[2 * end + LOW] & placeMask];
    }
    if (end - begin > 1) indexes.subarray(begin, end).sort((a, b) => entries.compareNames(a, b));
  }
}

/** The length of the beginning that the keys of all names have in common, in bytes. */
function commonLength(entries: Entries, indexes: Uint32Array): number {
  const first = new Uint8Array(KEY_LENGTH), key = new Uint8Array(KEY_LENGTH);
  if (indexes.length) entries.writeKey(indexes[0], first);
  let common = KEY_LENGTH;
  for (const index of indexes) {
    entries.writeKey(index, key);
    for (let i = 0; i < common; i++) if (key[i] !== first[i]) common = i;
  }
  return common;
}
