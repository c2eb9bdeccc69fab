/** WebDAV (RFC 4918): serves the folder as a drive, with `--dav`. GET, HEAD and PUT are the file server's. */

import type { Disk } from "../../core/disk.ts";
import { hasCode, on } from "../../core/errors.ts";
import { isOnServer, type Peer, RequestError, smallBody } from "../../http/request.ts";
import { isMissing, notFound } from "../file_errors.ts";
import type { Root } from "../resolve.ts";
import { checkCaller } from "../guard.ts";
import { finishPartial, refusalOf, removeLeft } from "../upload/receive.ts";
import {
  type Call,
  DavFolder,
  depthOf,
  hrefOf,
  made,
  namesOf,
  type Place,
  placeAt,
  resourceAt,
  xmlAnswer,
} from "./folder.ts";
import { type Lock, lockDiscovery, LockedError, secondsOf } from "./locks.ts";
import { DAV_METHODS, type DavMethod, davMethods, type DavOptions } from "./methods.ts";
import { askedIn, propfind, proppatch } from "./properties.ts";
import { childOf, isDav, readXml, textOf, written, type XmlElement } from "./xml.ts";
import { FolderHandle, isOnSameMount, isSame } from "../../core/folder_handle.ts";
import { join, SEPARATOR } from "../../core/path.ts";
import { diskTypeOf } from "../../core/proc.ts";
import { folded, move, type Read } from "./transfer.ts";

// WebDAV methods that change a folder: DELETE, MKCOL, COPY, MOVE, LOCK and UNLOCK (RFC 4918 sections 9.3, 9.6
// and 9.8 to 9.11).

/** Deletes a file, a link, or a folder with everything in it. */
async function deleteEntry(dav: DavFolder, { request, names, tokens }: Call): Promise<Response> {
  const depth = depthOf(request, ["infinity", "0"]), place = await resourceAt(dav.root, names);
  if (depth === "0" && place.entry?.isDirectory) {
    throw new RequestError(400, "Depth must be infinity: a folder is deleted with its contents.");
  }
  checkMovable(dav, place);
  dav.checkLocks(place, tokens, { isMember: true, isDeep: true });
  await diskOf(dav, place).answers();
  using folder = FolderHandle.open(place.folder!);
  checkUnchanged(folder, place);
  await dav.trash.delete(folder, nameOf(place));
  dav.locks.forget(place.path);
  return made(false);
}

async function makeFolder(dav: DavFolder, { request, names, tokens }: Call): Promise<Response> {
  for await (const piece of smallBody(request)) {
    if (piece.length) throw new RequestError(415, "MKCOL does not accept a body.");
  }
  const place = await placeAt(dav.root, names);
  if (place.entry) {
    throw new RequestError(405, "That name is already in use.", { allow: "GET, HEAD, OPTIONS" });
  }
  dav.checkLocks(place, tokens, { isMember: true });
  await diskOf(dav, place).answers();
  try {
    FolderHandle.within(place.folder!, (folder) => folder.makeFolder(nameOf(place)));
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      throw new RequestError(405, "That name is already in use.");
    }
    throw refusalOf(error);
  }
  return made(true);
}

/** Copies or moves a file or folder to the place named by the Destination header. */
async function copyOrMove(dav: DavFolder, { request, names, tokens }: Call): Promise<Response> {
  const isMove = request.method === "MOVE", depth = depthOf(request, ["infinity", ...isMove ? [] : ["0"]]);
  const source = await resourceAt(dav.root, names), found = await targetOf(dav, request);
  checkApart(source, found);
  const isRecased = await isOneEntry(dav, source, found);
  if (isRecased && !isMove) throw ontoItself();
  // A file or folder whose name gets another case is not one that the move replaces.
  const target = isRecased ? { ...found, entry: undefined } : found;
  if (isMove) {
    checkMovable(dav, source);
    dav.checkLocks(source, tokens, { isMember: true, isDeep: true });
  }
  if (target.entry && request.headers.get("overwrite")?.trim().toUpperCase() === "F") {
    throw new RequestError(412, "That name is already in use.");
  }
  checkReplaceable(dav, target);
  dav.checkLocks(target, tokens, { isMember: !target.entry, isDeep: true });
  // A file replaces a file, or a link, in one step; anything else is removed first.
  const isFolder = isMove ? source.entry!.isDirectory : source.resolved.info.isDirectory;
  const isOneStep = target.entry !== undefined && !target.entry.isDirectory && !isFolder;
  const disk = diskOf(dav, target);
  await disk.answers();
  using to = FolderHandle.open(target.folder!);
  let isCleared = false;
  const copied = async (read?: Read) => {
    const hidden = await dav.copies.copy(source, to, depth === "infinity", request.signal, read);
    try {
      await disk.answers();
      if (!isOneStep && !isCleared) await clear(dav, to, target);
      finishPartial(to, hidden, nameOf(target), isOneStep);
    } catch (error) {
      await removeLeft(to, [hidden], disk);
      throw error instanceof Deno.errors.AlreadyExists ? changed() : error;
    } finally {
      dav.stale.cleanLater(target.folder!);
    }
  };
  if (!isMove) {
    await copied();
    return made(!target.entry);
  }
  const sourceDisk = diskOf(dav, source);
  await sourceDisk.answers();
  using from = FolderHandle.open(source.folder!);
  checkUnchanged(from, source);
  // Where only a copy can move, the target is removed only when the copy that replaces it is complete.
  const isFar = target.entry !== undefined && !isOneStep &&
    !(isOnSameMount(from.stat("."), to.stat(".")) && isRenamable(from, nameOf(source)));
  if (!isOneStep && !isFar) {
    if (!isRecased) await clear(dav, to, target);
    isCleared = true;
  }
  await move(
    { folder: from, name: nameOf(source), disk: sourceDisk },
    { folder: to, name: nameOf(target), disk },
    copied,
    isFar,
  );
  dav.locks.forget(source.path);
  return made(!target.entry);
}

/**
 * Whether a file or folder can be renamed: an overlay renames no folder of its lower layers.
 * @throws The other errors of {@linkcode FolderHandle.moveTo}, before anything is removed.
 */
function isRenamable(folder: FolderHandle, name: string): boolean {
  if (!diskTypeOf(folder.real).includes("overlay")) return true; // also fuse.fuse-overlayfs
  const other = crypto.randomUUID(); // unlike a partial file's name, it is never cleaned up
  try {
    folder.moveTo(name, folder, other);
  } catch (error) {
    if (hasCode(error, ["EXDEV"])) return false;
    throw error;
  }
  folder.moveTo(other, folder, name);
  return true;
}

/**
 * The disk of a place's folder. Changes wait until it answers, because they are made on this thread, which a
 * hung share would block.
 */
function diskOf({ root }: DavFolder, { folder }: Place): Disk {
  return root.disk(folder!.real);
}

/** The name of a place in its folder. */
function nameOf({ names }: Place): string {
  return names.at(-1)!;
}

/** @throws RequestError 409 if the name now refers to something else than when the place was checked. */
function checkUnchanged(folder: FolderHandle, place: Place): void {
  const now = folder.stat(nameOf(place)), { entry } = place;
  if (now && entry ? !isSame(now, entry) : now || entry) throw changed();
}

function changed(): RequestError {
  return new RequestError(409, "Another program has changed the file or folder; try again.");
}

/** @throws RequestError 400 without a Destination, 502 if it is on another server; the errors of placeAt. */
async function targetOf(dav: DavFolder, { headers, url }: Request): Promise<Place> {
  const destination = headers.get("destination");
  if (!destination || destination.includes("#")) {
    throw new RequestError(400, "The Destination header must be an address here, such as /folder/name.");
  }
  if (!isOnServer(destination, url)) {
    throw new RequestError(502, `Destination is on another server; it must be on ${new URL(url).host}.`);
  }
  return await placeAt(dav.root, namesOf(destination));
}

/** Whether two names lead to one file or folder, because its file system ignores the case of names. */
async function isOneEntry({ root }: DavFolder, source: Place, target: Place): Promise<boolean> {
  const name = folded(target.path);
  if (!target.entry || name !== folded(source.path)) return false;
  const { real } = target.folder!, items = (await Array.fromAsync(root.items(real))).flat();
  return items.filter((item) => folded(join(real, item.name)) === name).length === 1;
}

/** @throws RequestError 403 if the two places are the same or one contains the other. */
function checkApart({ path: source }: Place, { path: target }: Place): void {
  if (
    `${target}${SEPARATOR}`.startsWith(`${source}${SEPARATOR}`) || source.startsWith(`${target}${SEPARATOR}`)
  ) {
    throw ontoItself();
  }
}

function ontoItself(): RequestError {
  return new RequestError(403, "A file or folder cannot replace itself or move into itself.");
}

/** @throws RequestError 403 for the served folder itself, and for a folder with deskhand's own secrets. */
function checkMovable({ root }: DavFolder, { names, path }: Place): void {
  if (names.length && !root.holdsSecret(path)) return;
  throw new RequestError(403, "This folder cannot be deleted or moved.");
}

/** @throws RequestError 403 if the target exists and must not be replaced. */
function checkReplaceable(dav: DavFolder, { entry, names, path }: Place): void {
  const { changes, deletes } = dav.options;
  if (!entry) return;
  if (!names.length || dav.root.holdsSecret(path)) {
    throw new RequestError(403, "This folder cannot be replaced.");
  }
  if (entry.isDirectory ? deletes : changes!.overwrite || entry.isFile && entry.size === 0) return;
  const option = entry.isDirectory ? "--allow-delete" : "--allow-overwrite";
  throw new RequestError(403, `That name is already in use, and ${option} is not set.`);
}

/**
 * Removes the existing target, if there is one.
 * @throws RequestError 409 if another program has meanwhile created or replaced it.
 */
async function clear(dav: DavFolder, folder: FolderHandle, target: Place): Promise<void> {
  checkUnchanged(folder, target);
  if (!target.entry) return;
  await dav.trash.delete(folder, nameOf(target));
  dav.locks.forget(target.path);
}

/** Maximum length of a stored description of a lock's owner, in characters. */
const OWNER_LIMIT = 2048;

/** Locks a file or folder, or refreshes a lock. Locking an unused name creates an empty file. */
async function lockEntry(dav: DavFolder, { request, names, tokens }: Call): Promise<Response> {
  const body = await readXml(request), depth = depthOf(request, ["infinity", "0"]);
  const seconds = secondsOf(request.headers.get("timeout"));
  if (!body) {
    const place = await placeAt(dav.root, names);
    const lock = dav.locks.refresh(place.path, tokens, seconds);
    if (!lock) {
      const instead = "a new lock needs a lockinfo body";
      throw new RequestError(412, `No lock here matches a token in the If header; ${instead}.`);
    }
    return lockAnswer(lock, 200);
  }
  const lock = () =>
    lockPlace(dav, names, tokens, { isDeep: depth === "infinity", ...lockIn(body), seconds });
  const answer = await lock() ?? await lock();
  if (answer) return answer;
  throw changed();
}

/**
 * Locks what is at a path, or creates an empty file there.
 * @returns undefined if another program has created something there meanwhile.
 */
async function lockPlace(
  dav: DavFolder,
  names: string[],
  tokens: ReadonlySet<string>,
  { isDeep, ...asked }: Pick<Lock, "isDeep" | "isShared" | "owner" | "seconds">,
): Promise<Response | undefined> {
  const place = await placeAt(dav.root, names), isFolder = place.resolved?.info.isDirectory ?? false;
  if (!place.entry) dav.checkLocks(place, tokens, { isMember: true });
  const lock = dav.locks.make({
    path: place.path,
    href: hrefOf(names, isFolder),
    isDeep: isDeep && isFolder,
    ...asked,
  });
  if (place.entry) return lockAnswer(lock, 200);
  try {
    await diskOf(dav, place).answers();
    FolderHandle.within(place.folder!, (folder) => folder.create(nameOf(place)));
  } catch (error) {
    dav.locks.remove(place.path, lock.token);
    if (error instanceof Deno.errors.AlreadyExists) return undefined;
    throw refusalOf(error);
  }
  return lockAnswer(lock, 201);
}

/** Removes a lock. */
async function unlockEntry(dav: DavFolder, { request, names }: Call): Promise<Response> {
  const token = /^\s*<([^<>]+)>\s*$/.exec(request.headers.get("lock-token") ?? "")?.[1];
  if (token === undefined) throw new RequestError(400, "UNLOCK needs a Lock-Token header.");
  const { path } = await placeAt(dav.root, names);
  if (dav.locks.remove(path, token)) return new Response(null, { status: 204 });
  return xmlAnswer(409, `<D:error xmlns:D="DAV:"><D:lock-token-matches-request-uri/></D:error>`);
}

/** @throws RequestError 400 if the body does not ask for a supported lock. */
function lockIn(body: XmlElement): { isShared: boolean; owner: string } {
  const scope = childOf(body, "lockscope"), isShared = childOf(scope, "shared") !== undefined;
  const isWrite = childOf(childOf(body, "locktype"), "write") !== undefined;
  if (!isDav(body, "lockinfo") || !isWrite || isShared === (childOf(scope, "exclusive") !== undefined)) {
    throw new RequestError(400, "The body is not a valid lock request (RFC 4918 section 14.11).");
  }
  const owner = childOf(body, "owner");
  if (!owner) return { isShared, owner: "" };
  const text = `<D:owner>${owner.children.map(written).join("")}${textOf(owner.text)}</D:owner>`;
  return { isShared, owner: text.length > OWNER_LIMIT ? "" : text };
}

function lockAnswer(lock: Lock, status: number): Response {
  return xmlAnswer(
    status,
    `<D:prop xmlns:D="DAV:"><D:lockdiscovery>${lockDiscovery([lock])}</D:lockdiscovery></D:prop>`,
    { "lock-token": `<${lock.token}>` },
  );
}

/** The handlers of the methods, by method name. */
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

/** Answers WebDAV methods. */
export class Dav {
  readonly folder: DavFolder;

  /** @param root The folder that is served. */
  constructor(root: Root, options: DavOptions) {
    this.folder = new DavFolder(root, options);
  }

  /**
   * Answers a request whose method is one of {@linkcode davMethods}.
   * @throws RequestError with the status of the answer; BusyError if too much is going on.
   */
  async answer(request: Request, peer: Peer): Promise<Response> {
    const method = request.method as DavMethod;
    if (method === "OPTIONS") return answerOptions(this.folder); // also for `*`, which is not a path
    if (DAV_METHODS[method] !== "read") {
      checkCaller(request, peer, this.folder.options.changes!.hasPassword, {
        what: "change",
        done: "changed",
      });
    }
    // A request target has no fragment (RFC 9112 section 3.2): the path before `#` must not be deleted.
    if (request.url.includes("#")) {
      throw new RequestError(400, "The path is not valid: # is written %23.");
    }
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
      const place = await placeAt(this.folder.root, names).catch(on(RequestError)); // the upload refuses it
      if (place) this.folder.checkLocks(place, tokens, { isMember: !place.entry });
    } catch (error) {
      return this.#refused(error);
    }
  }

  /** The response to a lock error. @throws Other errors, translated for clients. */
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

/** @returns The methods and compliance classes; Windows requires `MS-Author-Via` before it speaks WebDAV. */
function answerOptions({ options }: DavFolder): Response {
  const { changes } = options, allow = ["GET", "HEAD", ...changes ? ["PUT"] : [], ...davMethods(options)];
  return new Response(null, {
    status: 200,
    headers: [
      ["allow", allow.join(", ")],
      ["dav", changes ? "1, 2" : "1"], // a client that cannot lock mounts the folder read-only
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
