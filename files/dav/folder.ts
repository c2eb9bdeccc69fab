/**
 * The folder that WebDAV serves, with its locks and its trash; the places that requests name in it, and the forms of
 * answers.
 */

import { basename, dirname, join } from "../../core/path.ts";
import { isOnServer, RequestError, targetOf } from "../../http/request.ts";
import { isMissing, isUnnamable, notFound } from "../file_errors.ts";
import { errorText, ownAnswer } from "../pages.ts";
import { entityTag } from "../representation.ts";
import { pathNames, type Resolved, type Root } from "../resolve.ts";
import { unnamable } from "../upload/receive.ts";
import { holds, Locks, parseIf, type State, tokensIn } from "./locks.ts";
import type { DavOptions } from "./methods.ts";
import { Copies, Trash } from "./transfer.ts";
import { PROLOG, XML } from "./xml.ts";

/** A request of WebDAV. */
export interface Call {
  request: Request;
  /** The names in the request's path. */
  names: string[];
  /** Tokens of locks that the client sent. */
  tokens: ReadonlySet<string>;
}

/** The folder that WebDAV serves, with its locks and its trash. */
export class DavFolder {
  readonly locks = new Locks();
  readonly trash: Trash;
  readonly copies: Copies;

  /** @param root The folder that is served. */
  constructor(readonly root: Root, readonly options: DavOptions) {
    const { changes, deletes = false, noTrash = false } = options;
    this.trash = new Trash(root, deletes && !noTrash);
    this.copies = new Copies(root, changes?.limit ?? 0);
  }

  /**
   * Checks that a client has the tokens of the locks of what it changes.
   * @param isMember Whether the folder gets or loses a member.
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
   * Checks the header If.
   * @returns The tokens that the client sent.
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
    const place = await placeAt(this.root, names).catch(() => undefined);
    if (!place) return { tokens: [] };
    const info = place.resolved?.info, tokens = this.locks.on(place.path).map(({ token }) => token);
    return { tokens, etag: info?.isFile ? entityTag(info, Date.now()) : undefined };
  }
}

/** An answer with XML. */
export function xmlAnswer(status: number, xml: string, headers: Record<string, string> = {}): Response {
  const content = new TextEncoder().encode(`${PROLOG}${xml}\n`);
  return ownAnswer(content, { name: `${status}.xml`, type: XML, status, headers });
}

/** The answer to a change that was made. */
export function made(isNew: boolean): Response {
  return isNew ? errorText(201, "It is there now.") : new Response(null, { status: 204 });
}

/**
 * Reads the header Depth (RFC 4918 section 10.2).
 * @param allowed The values that the method takes; the first is the one without the header.
 * @throws RequestError 400 for another value.
 */
export function depthOf<const T extends string>({ headers }: Request, allowed: readonly T[]): T {
  const depth = headers.get("depth")?.trim().toLowerCase() ?? allowed[0];
  if ((allowed as readonly string[]).includes(depth)) return depth as T;
  throw new RequestError(400, `Depth must be one of ${allowed.join(", ")}.`);
}

export interface Place {
  /** The names on the way from the root; empty for the root itself. */
  names: string[];
  /** The path without regard to links. */
  lexicalPath: string;
  /** The path with the real path of its folder: the path that changes act on. A link is not followed. */
  path: string;
  /** The folder with the name, as it was checked: changes are made below it. Undefined for the root itself. */
  folder: Resolved | undefined;
  /** The file, folder or link of that name; undefined if there is none. */
  entry: Deno.FileInfo | undefined;
  /** The file or folder at the end of the path, links followed; undefined if it is not served. */
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
