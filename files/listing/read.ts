/** Reading a folder. */

import { join } from "../../core/path.ts";
import type { Root } from "../resolve.ts";
import {
  type Cut,
  type Entry,
  infoOf,
  infosOf,
  propertiesOf,
  servableOnce,
  type Sort,
  type View,
} from "./entry.ts";
import { orderKey } from "./name_key.ts";

/** The most entries that a listing has; a page of a million has 240 MB. */
const MOST_ENTRIES = 1_000_000;

/** Names that are described at once. */
const BLOCK = 512;
/** The character that Deno (2.9.6) has in names in place of bytes that are not UTF-8. */
const UNCLEAR = "\ufffd";

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
  /** The most entries that are read. */
  most?: number;
  /**
   * Tells whether the thread may wait for the file system, as a Worker may; no if left out. An entry then takes a tenth of
   * the time.
   */
  mayWait?: boolean;
  /** Tells whether a name is to be listed; all are if left out. */
  isWanted?: (name: string) => boolean;
}

/**
 * Reads a folder's entries, and the system's information about each.
 * @returns The entries that can be served, in no order, how many have names that are not Unicode, and whether some are
 * missing; undefined if there are more items than the limit.
 * @throws The errors of Deno.readDir, such as Deno.errors.NotFound.
 */
export async function readEntries(
  root: Root,
  { real, lexicalPath }: Folder,
  { limit = Infinity, most = MOST_ENTRIES, isWanted = () => true, mayWait = false }: Reading,
): Promise<{ entries: Entry[]; nameless: number; cut?: Cut } | undefined> {
  const entries: Entry[] = [], servable = servableOnce(), now = root.snapshot();
  let items = 0, nameless = 0, block: string[] = [];
  const describe = async () => {
    const infos = mayWait
      ? block.map((name) => infoOf(now, join(real, name), join(lexicalPath, name)))
      : await infosOf(root, { real, lexicalPath }, block);
    for (const [i, info] of infos.entries()) {
      if (!info) continue;
      if (block[i].includes(UNCLEAR)) nameless--;
      entries.push({ name: block[i], ...propertiesOf(info) });
    }
    block = [];
  };
  for await (const { name } of Deno.readDir(real)) {
    if (++items > limit) return undefined;
    if (!isWanted(name)) continue;
    if (name.includes(UNCLEAR)) nameless++; // until the system describes it under that name
    if (servable(name)) block.push(name);
    if (block.length < BLOCK) continue;
    await describe();
    if (entries.length > most) return { entries: entries.slice(0, most), nameless, cut: "number" };
  }
  await describe();
  if (entries.length > most) return { entries: entries.slice(0, most), nameless, cut: "number" };
  return { entries, nameless };
}

// The order of entries.

/** Values by which entries are sorted before their names. */
const VALUE: Record<Sort, (entry: Entry) => number> = {
  name: () => 0,
  size: ({ size }) => size ?? 0,
  time: ({ modified }) => modified ?? 0,
};

/** Sorts entries: folders first, then as the view asks, then by name. */
export function ordered(entries: readonly Entry[], { sort, descending }: View): Entry[] {
  const valueOf = VALUE[sort], sign = descending ? -1 : 1;
  const keyed = entries.map((entry) => ({
    entry,
    isFolder: entry.size === undefined,
    value: valueOf(entry),
    key: orderKey(entry.name),
  }));
  keyed.sort((a, b) =>
    Number(b.isFolder) - Number(a.isFolder) ||
    sign * (a.value - b.value || compared(a.key, b.key) || compared(a.entry.name, b.entry.name))
  );
  return keyed.map(({ entry }) => entry);
}

function compared(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
