/** Reading a folder. */

import { SEPARATOR } from "../../core/path.ts";
import type { Root } from "../resolve.ts";
import { Entries } from "./entries.ts";
import { propertiesOf } from "./entry.ts";
import { infoOf, servableOnce } from "./servable.ts";

/** Names that are described at once, in 2 ms. */
const BLOCK = 500;

/** A folder that is read. */
export interface Folder {
  /** The folder's real path. */
  real: string;
  /** The path that the request names, without regard to links. */
  lexicalPath: string;
}

/** Options of a reading. */
export interface Reading {
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
