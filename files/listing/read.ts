/** Reading a folder. */

import { SEPARATOR } from "@std/path";
import { isServable } from "../paths.ts";
import type { Root } from "../resolve.ts";
import { millisecondsOrNull } from "../times.ts";
import { Entries } from "./entries.ts";

/**
 * Reads a folder's entries, and what the system tells of each.
 * @param folder The folder's real path.
 * @param lexicalPath The path that the request names, without regard to links.
 * @param limit The most items that the folder may have.
 * @returns The entries that can be served, in no order; undefined if there are more items than the limit.
 * @throws What Deno.readDir throws, such as Deno.errors.NotFound.
 */
export async function readEntries(
  root: Root,
  folder: string,
  lexicalPath: string,
  limit: number,
): Promise<Entries | undefined> {
  const entries = new Entries();
  /** Names with the character that stands for bytes that are no text: the names of several files may read the same. */
  const unclear = new Set<string>();
  let items = 0;
  for await (const { name, isSymlink } of Deno.readDir(folder)) {
    if (++items > limit) return undefined;
    if (!isServable(name)) continue;
    if (name.includes("\ufffd")) {
      if (unclear.has(name)) continue;
      unclear.add(name);
    }
    const info = isSymlink
      ? linked(root, lexicalPath + SEPARATOR + name)
      : plain(root, folder + SEPARATOR + name);
    if (!info?.isFile && !info?.isDirectory) continue;
    entries.add({
      name,
      size: info.isFile ? info.size : undefined,
      modified: millisecondsOrNull(info.mtime),
    });
  }
  return entries;
}

/** What a link leads to, if that may be served. */
function linked(root: Root, path: string): Deno.FileInfo | undefined {
  try {
    return root.resolve(path).info;
  } catch {
    return undefined;
  }
}

function plain(root: Root, path: string): Deno.FileInfo | undefined {
  try {
    const info = Deno.lstatSync(path);
    return root.isExcluded(path, info) ? undefined : info;
  } catch {
    return undefined; // it vanished, or may not be looked at
  }
}
