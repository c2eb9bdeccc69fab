/** WebDAV (RFC 4918): the served folder as a drive, with `--dav`. GET, HEAD and PUT are those of the file server. */

import { type Peer, RequestError } from "../../http/request.ts";
import { isMissing, notFound } from "../file_errors.ts";
import type { Root } from "../resolve.ts";
import { checkCaller } from "../upload/uploads.ts";
import { refusalOf } from "../upload/receive.ts";
import { copyOrMove, deleteEntry, lockEntry, makeFolder, unlockEntry } from "./changes.ts";
import { type Call, DavFolder, depthOf, namesOf, placeAt, resourceAt, xmlAnswer } from "./folder.ts";
import { LockedError } from "./locks.ts";
import { DAV_METHODS, type DavMethod, davMethods, type DavOptions } from "./methods.ts";
import { askedIn, propfind, proppatch } from "./properties.ts";
import { readXml, textOf } from "./xml.ts";

/** The answers to the methods, by their names. */
const ANSWERS: Record<DavMethod, (dav: DavFolder, call: Call) => Promise<Response> | Response> = {
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
  readonly folder: DavFolder;

  /** @param root The folder that is served. */
  constructor(root: Root, options: DavOptions) {
    this.folder = new DavFolder(root, options);
  }

  /**
   * Answers a request with one of the methods of {@linkcode davMethods}.
   * @throws RequestError with the status of the answer; BusyError if too much is going on.
   */
  async answer(request: Request, peer: Peer): Promise<Response> {
    const method = request.method as DavMethod;
    if (method === "OPTIONS") return answerOptions(this.folder); // also for `*`, which is no path
    if (DAV_METHODS[method] !== "read") {
      checkCaller(request, peer, this.folder.options.changes!.hasPassword, {
        what: "change",
        done: "changed",
      });
    }
    // A fragment is no part of a request's target (RFC 9112 section 3.2): what is before it must not be deleted.
    if (request.url.includes("#")) throw new RequestError(400, "The path is not valid.");
    try {
      const names = namesOf(request.url), tokens = await this.folder.conditions(request, names);
      return await ANSWERS[method](this.folder, { request, names, tokens });
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
      const names = namesOf(request.url), tokens = await this.folder.conditions(request, names);
      const place = await placeAt(this.folder.root, names).catch(() => undefined); // refused by the upload itself
      if (place) this.folder.checkLocks(place, tokens, { isMember: !place.entry });
    } catch (error) {
      return this.#refused(error);
    }
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

/** @returns The methods and classes; Windows asks for `MS-Author-Via` before it speaks WebDAV. */
function answerOptions({ options }: DavFolder): Response {
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

async function answerPropfind(dav: DavFolder, { request, names }: Call): Promise<Response> {
  const depth = depthOf(request, ["infinity", "0", "1"]), body = await readXml(request);
  const asked = askedIn(body), place = await resourceAt(dav.root, names);
  if (!asked) {
    throw new RequestError(400, "The body is not a valid PROPFIND request (RFC 4918 section 14.20).");
  }
  if (depth === "infinity" && place.resolved.info.isDirectory) {
    return xmlAnswer(403, `<D:error xmlns:D="DAV:"><D:propfind-finite-depth/></D:error>`);
  }
  const locks = dav.options.changes ? dav.locks : undefined;
  return await propfind(dav.root, place, asked, depth === "1", {
    locks,
    now: Date.now(),
    client: request.signal,
  });
}

async function answerProppatch(dav: DavFolder, { request, names, tokens }: Call): Promise<Response> {
  const body = await readXml(request), place = await resourceAt(dav.root, names);
  dav.checkLocks(place, tokens, {});
  const answer = proppatch(place, body);
  if (answer) return answer;
  throw new RequestError(400, "The body is not a valid PROPPATCH request (RFC 4918 section 14.19).");
}
