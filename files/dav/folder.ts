/** What the methods of WebDAV share: the folder, the locks, the trash, and the forms of answers. */

import { dirname } from "../../core/path.ts";
import { RequestError } from "../../http/request_error.ts";
import { isOnServer } from "../../http/target.ts";
import { errorText, ownAnswer } from "../pages.ts";
import { entityTag } from "../representation.ts";
import type { Root } from "../resolve.ts";
import { holds, parseIf, type State, tokensIn } from "./if_header.ts";
import { Locks } from "./locks.ts";
import type { DavOptions } from "./methods.ts";
import { namesOf, type Place, placeAt } from "./place.ts";
import { Copies } from "./transfer.ts";
import { Trash } from "./trash.ts";
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
