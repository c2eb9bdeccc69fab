/** WebDAV (RFC 4918): the served folder as a drive, with `--dav`. GET, HEAD and PUT are those of the file server. */

import { dirname } from "../../core/path.ts";
import type { Peer } from "../../http/handler.ts";
import { RequestError } from "../../http/request_error.ts";
import { isOnServer } from "../../http/target.ts";
import { errorText, isMissing, notFound, ownAnswer } from "../pages.ts";
import { entityTag } from "../representation.ts";
import type { Root } from "../resolve.ts";
import { checkCaller } from "../upload/uploads.ts";
import { refusalOf } from "../upload/receive.ts";
import { copyOrMove, deleteEntry, makeFolder } from "./changes.ts";
import { DAV_METHODS, type DavMethod, davMethods, type DavOptions } from "./methods.ts";
import { holds, parseIf, type State, tokensIn } from "./if_header.ts";
import { lockEntry, unlockEntry } from "./locking.ts";
import { LockedError, Locks } from "./locks.ts";
import { namesOf, type Place, placeAt, resourceAt } from "./place.ts";
import { propfind, proppatch } from "./propfind.ts";
import { askedIn } from "./properties.ts";
import { Copies } from "./transfer.ts";
import { Trash } from "./trash.ts";
import { PROLOG, readXml, textOf, XML } from "./xml.ts";

/** A request of WebDAV. */
export interface Call {
  request: Request;
  /** The names in the request's path. */
  names: string[];
  /** Tokens of locks that the client sent. */
  tokens: ReadonlySet<string>;
}

/** The answers to the methods, by their names. */
const ANSWERS: Record<DavMethod, (dav: Dav, call: Call) => Promise<Response> | Response> = {
  OPTIONS: answerOptions,
  PROPFIND: answerPropfind,
  PROPPATCH: answerProppatch,
  MKCOL: makeFolder,
  COPY: copyOrMove,
  LOCK: lockEntry,
  UNLOCK: unlockEntry,
  DELETE: deleteEntry,
  MOVE: copyOrMove,
};

/** Answers the methods of WebDAV. */
export class Dav {
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
   * Answers a request with one of the methods of {@linkcode davMethods}.
   * @throws RequestError with the status of the answer; BusyError if too much is going on.
   */
  async answer(request: Request, peer: Peer): Promise<Response> {
    const method = request.method as DavMethod;
    if (method === "OPTIONS") return answerOptions(this); // also for `*`, which is no path
    if (DAV_METHODS[method] !== "read") {
      checkCaller(request, peer, this.options.changes!.hasPassword, { what: "change", done: "changed" });
    }
    // A fragment is no part of a request's target (RFC 9112 section 3.2): what is before it must not be deleted.
    if (request.url.includes("#")) throw new RequestError(400, "The path is not valid.");
    try {
      const names = namesOf(request.url), tokens = await this.#conditions(request, names);
      return await ANSWERS[method](this, { request, names, tokens });
    } catch (error) {
      return this.#refused(error);
    }
  }

  /**
   * Checks the conditions and locks of an upload.
   * @param request A PUT.
   * @returns The refusal; undefined if the upload may go on.
   */
  async refusalOfUpload(request: Request): Promise<Response | undefined> {
    try {
      const names = namesOf(request.url), tokens = await this.#conditions(request, names);
      const place = await placeAt(this.root, names).catch(() => undefined); // refused by the upload itself
      if (place) this.checkLocks(place, tokens, { isMember: !place.entry });
    } catch (error) {
      return this.#refused(error);
    }
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
  async #conditions({ headers, url }: Request, names: string[]): Promise<ReadonlySet<string>> {
    const header = headers.get("if");
    if (header === null) return new Set();
    const lists = parseIf(header);
    const stateOf = async (resource?: string): Promise<State> => {
      if (resource === undefined) return await this.#state(names);
      return isOnServer(resource, url) ? await this.#state(namesOf(resource)) : { tokens: [] };
    };
    if (await holds(lists, stateOf)) return tokensIn(lists);
    throw new RequestError(412, "The conditions of the header If do not hold.");
  }

  async #state(names: string[]): Promise<State> {
    const place = await placeAt(this.root, names).catch(() => undefined);
    if (!place) return { tokens: [] };
    const info = place.resolved?.info, tokens = this.locks.on(place.path).map(({ token }) => token);
    return { tokens, etag: info?.isFile ? entityTag(info, Date.now()) : undefined };
  }

  /** @throws Errors that are no matter of locks, by their meaning for clients. */
  #refused(error: unknown): Response {
    if (error instanceof LockedError) {
      return xmlAnswer(
        423,
        `<D:error xmlns:D="DAV:"><D:${error.condition}><D:href>${
          textOf(error.lock.href)
        }</D:href></D:${error.condition}></D:error>`,
      );
    }
    const refusal = refusalOf(error);
    throw refusal === error && isMissing(error) ? notFound() : refusal;
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

/** @returns The methods and classes; Windows asks for `MS-Author-Via` before it speaks WebDAV. */
function answerOptions({ options }: Dav): Response {
  const { changes } = options, allow = ["GET", "HEAD", ...changes ? ["PUT"] : [], ...davMethods(options)];
  return new Response(null, {
    status: 200,
    headers: [
      ["allow", allow.join(", ")],
      ["dav", changes ? "1, 2" : "1"], // a client that may not lock mounts the folder read-only
      ["ms-author-via", "DAV"],
      ["accept-ranges", "bytes"],
      ["content-length", "0"],
    ],
  });
}

async function answerPropfind(dav: Dav, { request, names }: Call): Promise<Response> {
  const depth = depthOf(request, ["infinity", "0", "1"]), body = await readXml(request);
  const asked = askedIn(body), place = await resourceAt(dav.root, names);
  if (!asked) throw new RequestError(400, "The body is no PROPFIND of WebDAV (RFC 4918 section 14.20).");
  if (depth === "infinity" && place.resolved.info.isDirectory) {
    return xmlAnswer(403, `<D:error xmlns:D="DAV:"><D:propfind-finite-depth/></D:error>`);
  }
  const locks = dav.options.changes ? dav.locks : undefined;
  return await propfind(dav.root, place, asked, depth === "1", { locks, now: Date.now() });
}

async function answerProppatch(dav: Dav, { request, names, tokens }: Call): Promise<Response> {
  const body = await readXml(request), place = await resourceAt(dav.root, names);
  dav.checkLocks(place, tokens, {});
  const answer = proppatch(place, body);
  if (answer) return answer;
  throw new RequestError(400, "The body is no PROPPATCH of WebDAV (RFC 4918 section 14.19).");
}
