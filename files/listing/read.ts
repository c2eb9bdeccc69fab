/** What is in a folder. */

import { SEPARATOR } from "@std/path";
import { isServable } from "../paths.ts";
import type { Root } from "../resolve.ts";
import { dateOrNull } from "../times.ts";
import type { Entry } from "./entry.ts";

/**
 * Looks at what is in a folder.
 * @param folder The folder's real path.
 * @param place The path that was asked for, links not followed.
 * @param items What the folder was found to hold.
 * @returns What of it can be served.
 */
export function readEntries(
  root: Root,
  folder: string,
  place: string,
  items: Iterable<Deno.DirEntry>,
): Entry[] {
  const entries: Entry[] = [];
  /** Names with the character that stands for what is no text: those of several files may read the same. */
  const unclear = new Set<string>();
  for (const { name, isSymlink } of items) {
    if (!isServable(name)) continue;
    if (name.includes("\ufffd")) {
      if (unclear.has(name)) continue;
      unclear.add(name);
    }
    const info = isSymlink ? linked(root, place + SEPARATOR + name) : plain(root, folder + SEPARATOR + name);
    if (!info?.isFile && !info?.isDirectory) continue;
    entries.push({
      name,
      folder: info.isDirectory,
      size: info.isFile ? info.size : undefined,
      modified: dateOrNull(info.mtime),
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
