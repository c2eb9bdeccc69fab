/** Reading a folder. */

import type { Root } from "../resolve.ts";
import { type DescribeHelper, type Folder, infosOf } from "./describe.ts";
import { describedBy, Entries } from "./entries.ts";
import { servableOnce } from "./servable.ts";

/** Names that are described at once, in 2 ms. */
const BLOCK = 500;

/** Options of a reading. */
export interface Reading {
  /** The most items that the folder may have; any number if left out. */
  limit?: number;
  /** Tells whether a name is to be listed; all are if left out. */
  isWanted?: (name: string) => boolean;
  /** Describes a part of the entries of large folders on another thread. */
  helper?: DescribeHelper;
}

/**
 * Reads a folder's entries, and the system's information about each. Entries are described while the system reads
 * further ones. Only the columns hold the names: waiting objects would make V8's young generation grow by 45 MB.
 * @returns The entries that can be served, in no order; undefined if there are more items than the limit.
 * @throws The errors of Deno.readDir, such as Deno.errors.NotFound.
 */
export async function readEntries(
  root: Root,
  folder: Folder,
  { limit = Infinity, isWanted = () => true, helper }: Reading,
): Promise<Entries | undefined> {
  const entries = new Entries(), servable = servableOnce();
  const own: number[] = [];
  let items = 0, taken = 0;
  const namesFrom = (from: number) =>
    entries.names(Uint32Array.from({ length: Math.min(BLOCK, entries.count - from) }, (_, i) => from + i));
  const describe = () => {
    for (const from of own.splice(0)) {
      entries.describeAll(from, describedBy(infosOf(root, folder, namesFrom(from))));
    }
  };
  const take = () => {
    const from = taken;
    taken = entries.count;
    if (helper?.isFree(entries.count)) {
      helper.describe(namesFrom(from), (described) => entries.describeAll(from, described));
    } else if (own.push(from) === 1) setImmediate(describe);
  };
  for await (const { name } of Deno.readDir(folder.real)) {
    if (++items > limit) return undefined;
    if (isWanted(name) && servable(name)) entries.add(name);
    if (entries.count - taken === BLOCK) take();
  }
  if (taken < entries.count) own.push(taken);
  describe();
  await helper?.done();
  return entries;
}
