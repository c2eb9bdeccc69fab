/** The rule for items of a folder that are listed. */

import { isServable } from "../paths.ts";
import type { Root } from "../resolve.ts";

/**
 * Makes a test for names that can be served. U+FFFD stands for bytes that are not valid Unicode: of several files
 * whose names look the same, one passes.
 */
export function servableOnce(): (name: string) => boolean {
  const unclear = new Set<string>();
  return (name) => {
    if (!isServable(name)) return false;
    if (!name.includes("\ufffd")) return true;
    const isFirst = !unclear.has(name);
    unclear.add(name);
    return isFirst;
  };
}

/**
 * Asks the system about an item, or about the target of a link.
 * @param path The item's path below the folder's real one.
 * @param lexicalPath The path in a request for the item.
 * @returns undefined if the item may not be served.
 */
export function infoOf(root: Root, path: string, lexicalPath: string): Deno.FileInfo | undefined {
  try {
    const info = Deno.lstatSync(path);
    const served = info.isSymlink ? root.resolve(lexicalPath).info : info;
    if (!served.isFile && !served.isDirectory) return undefined;
    return info.isSymlink || !root.isExcluded(path, info) ? served : undefined;
  } catch {
    return undefined; // the file has vanished, or deskhand may not read it
  }
}
