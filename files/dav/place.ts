/** Places that requests of WebDAV name: a file or folder, or a name in a folder that nothing has yet. */

import { basename, join } from "../../core/path.ts";
import { RequestError } from "../../http/request_error.ts";
import { targetOf } from "../../http/target.ts";
import { isMissing, isUnnamable, notFound } from "../file_errors.ts";
import { pathNames, type Resolved, type Root } from "../resolve.ts";
import { unnamable } from "../upload/receive.ts";

/** A place. */
export interface Place {
  /** The names on the way from the root; empty for the root itself. */
  names: string[];
  /** The path without regard to links. */
  lexicalPath: string;
  /** The path with the real path of its folder: the path that changes act on. A link is not followed. */
  path: string;
  /** The folder with the name, as it was checked: changes are made below it. Undefined for the root itself. */
  folder: Resolved | undefined;
  /** What has the name, a link included; undefined if nothing has it. */
  entry: Deno.FileInfo | undefined;
  /** What the path leads to; undefined if that is not served. */
  resolved: Resolved | undefined;
}

/** The names in the path of a URL, without the empty one behind a final slash. */
export function namesOf(url: string): string[] {
  const names = pathNames(targetOf(url).path);
  return names.at(-1) === "" ? names.slice(0, -1) : names;
}

/**
 * Finds a place.
 * @param names As {@linkcode namesOf} gives them.
 * @throws RequestError 409 if there is no folder for it, 404 if the name is one that is never served.
 */
export async function placeAt(root: Root, names: string[]): Promise<Place> {
  const lexicalPath = root.path(names);
  if (!names.length) {
    const resolved = await root.find(root.real);
    return { names, lexicalPath, path: root.real, folder: undefined, entry: resolved.info, resolved };
  }
  const folder = await root.findOrNull(root.path(names.slice(0, -1)));
  if (!folder?.info.isDirectory) throw new RequestError(409, "There is no folder at that path.");
  const path = join(folder.real, basename(lexicalPath));
  if (root.hides(path) || root.hides(lexicalPath) || root.isSecretPath(path)) throw notFound();
  const entry = await root.reach(path, () => infoOf(path));
  if (entry && root.isExcluded(path, entry)) throw notFound();
  const resolved = entry && await root.findOrNull(lexicalPath);
  if (entry && !resolved) throw notFound(); // a device, or a link that leaves the root
  return { names, lexicalPath, path, folder, entry, resolved };
}

/**
 * Finds what a request names.
 * @throws RequestError 404 if nothing is there.
 */
export async function resourceAt(root: Root, names: string[]): Promise<Place & { resolved: Resolved }> {
  const place = await placeAt(root, names).catch((error) => {
    throw error instanceof RequestError && error.status === 409 ? notFound() : error;
  });
  if (!place.resolved) throw notFound();
  return { ...place, resolved: place.resolved };
}

/**
 * The reference to a place, as answers have it: a path, percent-encoded.
 * @example
 * hrefOf(["a b", "c"], true); // "/a%20b/c/"
 */
export function hrefOf(names: readonly string[], isFolder: boolean): string {
  const path = names.map((name) => `/${encodeURIComponent(name)}`).join("");
  return isFolder ? `${path}/` : path;
}

async function infoOf(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (isUnnamable(error)) throw unnamable();
    if (isMissing(error)) return undefined;
    throw error;
  }
}
