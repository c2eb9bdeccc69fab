/**
 * The folder that WebDAV serves, its locks and trash, the places that requests name, and response formats.
 */

import { on } from "../../core/errors.ts";
import { basename, dirname, join } from "../../core/path.ts";
import { isOnServer, RequestError, targetOf } from "../../http/request.ts";
import { isMissing, isUnnamable, notFound } from "../file_errors.ts";
import { errorText, ownAnswer } from "../pages.ts";
import { entityTag } from "../representation.ts";
import { pathNames, type Resolved, type Root } from "../resolve.ts";
import { StaleParts, unnamable } from "../upload/receive.ts";
import { holds, Locks, parseIf, type State, tokensIn } from "./locks.ts";
import type { DavOptions } from "./methods.ts";
import { Copies, Trash } from "./transfer.ts";
import { PROLOG, XML } from "./xml.ts";

/** A WebDAV request. */
export interface Call {
  request: Request;
  /** The names in the request's path. */
  names: string[];
  /** Lock tokens that the client sent. */
  tokens: ReadonlySet<string>;
}

/** The folder that WebDAV serves, with its locks and trash. */
export class DavFolder {
  readonly locks = new Locks();
  readonly trash: Trash;
  readonly copies: Copies;
  readonly stale: StaleParts;

  /** @param root The served folder. */
  constructor(readonly root: Root, readonly options: DavOptions) {
    const { changes, deletes = false, noTrash = false } = options;
    this.trash = new Trash(root, deletes && !noTrash);
    this.copies = new Copies(root, changes?.limit ?? 0);
    this.stale = new StaleParts(root);
  }

  /**
   * Checks that a client holds the tokens of the locks on whatever it changes.
   * @param isMember Whether the folder gains or loses a member.
   * @param isDeep Whether everything below changes.
   * @throws LockedError
   */
  checkLocks(
    { path }: Place,
    tokens: ReadonlySet<string>,
    { isMember = false, isDeep = false }: { isMember?: boolean; isDeep?: boolean },
  ): void {
    this.locks.check(this.locks.on(path), tokens);
    if (isMember) this.locks.check(this.locks.on(dirname(path)), tokens);
    if (isDeep) this.locks.check(this.locks.below(path), tokens);
  }

  /**
   * Checks the If header.
   * @returns The lock tokens that the client sent.
   * @throws RequestError 412 if no list of conditions holds, 400 if the header is malformed.
   */
  async conditions({ headers, url }: Request, names: string[]): Promise<ReadonlySet<string>> {
    const header = headers.get("if");
    if (header === null) return new Set();
    const lists = parseIf(header);
    const stateOf = async (resource?: string): Promise<State> => {
      if (resource === undefined) return await this.#state(names);
      return isOnServer(resource, url) ? await this.#state(namesOf(resource)) : { tokens: [] };
    };
    if (await holds(lists, stateOf)) return tokensIn(lists);
    throw new RequestError(412, "The conditions of the If header are not met.");
  }

  async #state(names: string[]): Promise<State> {
    const place = await placeAt(this.root, names).catch(on(RequestError));
    if (!place) return { tokens: [] };
    const info = place.resolved?.info, tokens = this.locks.on(place.path).map(({ token }) => token);
    return { tokens, etag: info?.isFile ? entityTag(info, Date.now()) : undefined };
  }
}

/** A response with an XML body. */
export function xmlAnswer(status: number, xml: string, headers: Record<string, string> = {}): Response {
  const content = new TextEncoder().encode(`${PROLOG}${xml}\n`);
  return ownAnswer(content, { name: `${status}.xml`, type: XML, status, headers });
}

/** The response to a successful change. */
export function made(isNew: boolean): Response {
  return isNew ? errorText(201, "It is there now.") : new Response(null, { status: 204 });
}

/**
 * Parses the Depth header (RFC 4918 section 10.2).
 * @param allowed The values that the method supports; the first is the default.
 * @throws RequestError 400 for another value.
 */
export function depthOf<const T extends string>({ headers }: Request, allowed: readonly T[]): T {
  const depth = headers.get("depth")?.trim().toLowerCase() ?? allowed[0];
  if ((allowed as readonly string[]).includes(depth)) return depth as T;
  throw new RequestError(400, `Depth must be one of ${allowed.join(", ")}.`);
}

export interface Place {
  /** The path's names from the root; empty for the root itself. */
  names: string[];
  /** The path with links not resolved. */
  lexicalPath: string;
  /**
   * The entry's name below its folder's real path. Changes act on this path; a final link is not followed.
   */
  path: string;
  /** The checked parent folder, below which changes are made; undefined for the root itself. */
  folder: Resolved | undefined;
  /** The file, folder or link at the path; undefined if there is none. */
  entry: Deno.FileInfo | undefined;
  /** The file or folder at the end of the path with links followed; undefined if it is not served. */
  resolved: Resolved | undefined;
}

/** The names in a URL's path, without the empty name after a final slash. */
export function namesOf(url: string): string[] {
  const names = pathNames(targetOf(url).path);
  return names.at(-1) === "" ? names.slice(0, -1) : names;
}

/**
 * Finds a place.
 * @param names As {@linkcode namesOf} returns them.
 * @throws RequestError 409 if the parent folder does not exist, 404 if the name is never served.
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
  if (entry && !resolved) throw notFound(); // a device, or a link that leads out of the root
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
 * The reference to a place in responses: a percent-encoded path.
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
