/** Reading a folder. */

import { SEPARATOR } from "@std/path";
import { nodeModule } from "../../core/lazy_node.ts";
import type { Root } from "../resolve.ts";
import { millisecondsOrNull } from "../times.ts";
import { Entries } from "./entries.ts";
import { infoOf, servableOnce } from "./servable.ts";

/**
 * Reads a folder's entries, and what the system tells of each. It looks at those that it has while the system reads on:
 * 1,000,000 take 4.4 s so, and 7 s one after the other. Nothing but the columns holds on to names meanwhile: objects that
 * wait would make V8's young generation grow by 45 MB.
 * @param folder The folder's real path.
 * @param lexicalPath The path that the request names, without regard to links.
 * @param limit The most items that the folder may have.
 * @param isWanted Whether a name is to be listed.
 * @returns The entries that can be served, in no order; undefined if there are more items than the limit.
 * @throws What Deno.readDir throws, such as Deno.errors.NotFound.
 */
export async function readEntries(
  root: Root,
  folder: string,
  lexicalPath: string,
  limit: number,
  isWanted: (name: string) => boolean = () => true,
): Promise<Entries | undefined> {
  const { setImmediate } = nodeModule("node:timers");
  const entries = new Entries(), servable = servableOnce();
  let items = 0, described = 0, waits = false;
  const describe = () => {
    waits = false;
    for (; described < entries.count; described++) {
      const name = entries.name(described);
      const info = infoOf(root, folder + SEPARATOR + name, lexicalPath + SEPARATOR + name);
      if (!info) continue;
      const modified = millisecondsOrNull(info.mtime);
      entries.describe(described, { size: info.isFile ? info.size : undefined, modified });
    }
  };
  for await (const { name } of Deno.readDir(folder)) {
    if (++items > limit) return undefined;
    if (isWanted(name) && servable(name)) entries.add(name);
    if (!waits) setImmediate(describe);
    waits = true;
  }
  describe();
  return entries;
}
