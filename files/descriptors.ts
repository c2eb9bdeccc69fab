/** What Linux tells of the files that this process has open (proc(5), `/proc/pid/fd`). */

import { isSame } from "./version.ts";

const FOLDER = "/proc/self/fd";

/** Descriptors that are looked at before all the others. */
const RECENT_LIMIT = 64;

/**
 * Those that files were found under, the last one first: the system gives the lowest free number, so that files come
 * under the same few ones however many connections there are. Deno does not tell which it is.
 */
let recent: string[] = [];

/**
 * Finds a descriptor of an open file by the file's identity, and by the path that it has at this moment: the system's
 * own, on which there are no links.
 * @param info Of the open file.
 * @param fits Whether a path is one to look for. The last name of a file that was removed ends in ` (deleted)`.
 * @returns A link that leads to the file, whatever its path is later; null if no path fits; undefined if the system
 * does not tell.
 */
export function descriptorOf(
  info: Deno.FileInfo,
  fits: (path: string) => boolean,
): string | null | undefined {
  if (Deno.build.os !== "linux") return undefined;
  const leadsThere = (link: string) => {
    try {
      return isSame(Deno.statSync(link), info) && fits(Deno.readLinkSync(link));
    } catch {
      return false; // it was closed meanwhile, or its path is no text
    }
  };
  let link = recent.find(leadsThere);
  if (link === undefined) {
    const all = descriptors();
    if (!all) return undefined;
    link = all.find(leadsThere);
  }
  if (link === undefined) return null;
  if (link !== recent[0]) {
    recent = [link, ...recent.filter((other) => other !== link)].slice(0, RECENT_LIMIT);
  }
  return link;
}

/** @returns undefined if there is no /proc. */
function descriptors(): string[] | undefined {
  try {
    return Array.from(Deno.readDirSync(FOLDER), ({ name }) => `${FOLDER}/${name}`);
  } catch {
    return undefined;
  }
}
