/** Paths of requests: the names in them, and which names can be served. */

import { RequestError } from "../http/request_error.ts";
import { notFound } from "./file_errors.ts";

const DEVICE =
  /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])\s*(?:\.|$)/i;

/**
 * Tells whether Windows does not take a name as the name of a file: a device, a stream (`a.txt::$DATA`),
 * a drive, a short name (`PROGRA~1`), or a name without its final dots and blanks.
 */
export function isSpecialOnWindows(name: string): boolean {
  return DEVICE.test(name) || /[<>:"|?*\p{Cc}]/u.test(name) || /[. ]$/.test(name) || /~\d/.test(name);
}

const INVALID = "The path is not valid.";
const WINDOWS = Deno.build.os === "windows";

/**
 * Decodes a path.
 * @param path As it was sent: percent-encoded, not normalised.
 * @returns The names in it; the last is empty for a folder's path, which ends in a slash.
 * @throws RequestError 400 if the path is not valid, 404 if no file can have such a name.
 * @example
 * pathNames("/a%20b/c/") // ["a b", "c", ""]
 */
export function pathNames(path: string, onWindows = WINDOWS): string[] {
  if (!path.startsWith("/")) throw new RequestError(400, INVALID);
  const names = path.slice(1).split("/").map(decodedName);
  names.forEach((name, i) => {
    if (name === "" && i < names.length - 1) throw notFound();
    if (onWindows && isSpecialOnWindows(name)) throw notFound();
  });
  return names;
}

/** Tells whether a request can have this name in its path. Listings leave files with other names out. */
export function isServable(name: string, onWindows = WINDOWS): boolean {
  return !/[/\\\0]/.test(name) && name.isWellFormed() && !(onWindows && isSpecialOnWindows(name));
}

function decodedName(part: string): string {
  let name: string;
  try {
    name = decodeURIComponent(part);
  } catch {
    throw new RequestError(400, INVALID);
  }
  // An encoded slash or backslash would become a separator after this check.
  if (/[/\\\0]/.test(name) || name === "." || name === "..") throw new RequestError(400, INVALID);
  return name;
}
