/** Accepts files: PUT below the served folder, with `--allow-upload`. */

import { Capacity } from "../../core/coalesced_read.ts";
import { join } from "../../core/path.ts";
import { printable } from "../../core/printable.ts";
import { type Peer, RequestError, targetOf } from "../../http/request.ts";
import { PROXY_HEADER } from "../../http/host.ts";
import { precondition } from "../conditional.ts";
import { checkCaller } from "../guard.ts";
import { FolderHandle } from "../../core/folder_handle.ts";
import { isMissing, isUnnamable, notFound } from "../file_errors.ts";
import { sayingFor } from "../pages.ts";
import { type Extent, extentOf } from "../plan.ts";
import { describe } from "../representation.ts";
import { pathNames, type Resolved, type Root } from "../resolve.ts";
import {
  finishPartial,
  noRoomFor,
  partialName,
  partialSize,
  receive,
  refusalOf,
  removeLeft,
  roomIn,
  StaleParts,
  tooLarge,
  unnamable,
} from "./receive.ts";

export interface UploadOptions {
  /** Whether an upload may replace a file. */
  overwrite: boolean;
  /** Maximum file size, in bytes. */
  limit: number;
  /** Whether the server requires a password. */
  hasPassword: boolean;
  /**
   * Whether WebDAV clients upload: they create an empty file first, lock it, and then send its content. If
   * the folder does not exist, the status is WebDAV's own (RFC 4918 section 9.7.1).
   */
  forDav?: boolean;
}

/** Maximum number of uploads at the same time. Each holds a file open. */
const AT_ONCE = 64;
/** Maximum number of folders in a path that an upload may create. */
const DEPTH_LIMIT = 64;
/** The header with the number of bytes received so far, where the next part begins. */
const OFFSET = "upload-offset";
/** Statuses after which the partial file of an upload is removed. */
const FINAL = [413, 507];

/** The header with a key that distinguishes a client's upload from others with the same name and length. */
const KEY = "upload-key";
/** The header with the file's time at the client, and the maximum time in seconds before or after 1970. */
const TIME = "x-oc-mtime", TIME_LIMIT = 2 ** 35;
/** Maximum number of names tried for a file whose name is taken. */
const NAMES_LIMIT = 1000;

/** An upload by a caller who may only upload: into a drop box, or through an upload link. */
interface Drop {
  /** The names from the root to the file. */
  names: string[];
}

/** The destination of an upload. */
interface Destination {
  /** The open folder: a name in it stays there even if another program replaces the folder with a link. */
  folder: FolderHandle;
  name: string;
  /** The file's path. */
  path: string;
  /** The entry that already has the name. */
  existing: Deno.FileInfo | undefined;
  /** Whether the file gets another name if its own is taken. */
  isDropped: boolean;
}

/** The result of an upload: a new file, a replaced file, or a part, with the bytes so far and the total. */
type Taken = { status: 200 | 201 } | { status: 202; there: number; total: number };

/** Accepts uploads into the folders below a root. */
export class Uploads {
  readonly #capacity = new Capacity(AT_ONCE, "Too many files are being uploaded; try again later.");
  /** Paths of files being uploaded. */
  readonly #underWay = new Set<string>();
  readonly #stale: StaleParts;

  constructor(readonly root: Root, readonly options: UploadOptions) {
    this.#stale = new StaleParts(root);
  }

  /**
   * Accepts a file, or a part of one.
   * @param request A PUT.
   * @param drop Present for a caller who may only upload: the file gets another name if its own is taken.
   * @returns 201 when a new file is complete, 200 when one was replaced, 202 while parts are missing.
   * @throws RequestError with the status of an error page; BusyError if too many uploads are in flight.
   */
  async answer(request: Request, peer: Peer, drop?: Drop): Promise<Response> {
    const { headers } = request;
    checkCaller(request, peer, drop !== undefined || this.options.hasPassword);
    if (headers.has("content-encoding")) {
      throw new RequestError(415, "Uploads must not use Content-Encoding.");
    }
    const { path: asked, query } = targetOf(request.url), names = drop?.names ?? exactNames(asked);
    timeIn(headers); // a wrong one is refused before the bytes are sent
    const extent = extentOf(headers), byParents = !drop && asksForParents(query);
    await this.#waitForDisk(names);
    if (byParents) this.#checkBefore(names, extent); // a refused upload creates no folders
    using _place = this.#capacity.enter();
    if (byParents) this.#makeParents(names);
    const resolved = this.#folderOf(names);
    using folder = FolderHandle.open(resolved);
    const destination = {
      ...this.#destination(folder, names, drop !== undefined),
      isDropped: drop !== undefined,
    };
    if (!drop) this.#checkConditions(destination, headers);
    const key = headers.get(KEY), isWhole = drop && key === null;
    const partial = await partialName(destination.name, isWhole ? undefined : extent.total, key);
    const place = drop ? join(folder.real, partial) : destination.path;
    if (this.#underWay.has(place)) throw new RequestError(409, "This file is already being uploaded.");
    this.#underWay.add(place);
    try {
      return answerOf(request, await this.#receive(request, destination, partial, extent), names, drop);
    } finally {
      this.#underWay.delete(place);
      this.#stale.cleanLater(resolved);
    }
  }

  /**
   * Receives the bytes; a partial file that can never be completed is removed. A whole file whose bytes
   * differ from those that another client left behind gets its own partial file, which ends with the request.
   */
  async #receive(
    request: Request,
    destination: Destination,
    partial: string,
    extent: Extent,
  ): Promise<Taken> {
    const { limit } = this.options,
      { folder, name } = destination,
      spare = await partialName(name, undefined);
    try {
      if (sizeOf(extent) > limit) throw tooLarge(limit);
      return await this.#take(request, destination, partial, spare, extent);
    } catch (error) {
      const isFinal = error instanceof RequestError && FINAL.includes(error.status);
      const left = [spare, ...isFinal || extent.total === undefined ? [partial] : []];
      await removeLeft(folder, left, this.root.disk(folder.real));
      throw error;
    }
  }

  /** Waits for the disk of the nearest existing folder: later calls on this thread must not wait for a share. */
  async #waitForDisk(names: readonly string[]): Promise<void> {
    for (let depth = names.length - 1; depth >= 0; depth--) {
      const folder = await this.root.findOrNull(this.root.path(names.slice(0, depth)));
      if (folder) return void await this.root.disk(folder.real).answers();
    }
  }

  async #take(
    { body, headers }: Request,
    destination: Destination,
    kept: string,
    spare: string,
    { start, end, total, isQuestion }: Extent,
  ): Promise<Taken> {
    const { folder, name, path, existing: replaced } = destination, there = partialSize(folder, kept);
    if (isQuestion) return progress(there, total!);
    if (start > there) {
      const message = `The upload has ${there} bytes so far: go on from there.`;
      throw new RequestError(409, message, { [OFFSET]: `${there}` });
    }
    const disk = this.root.disk(folder.real);
    if ((end ?? 0) - there > roomIn(folder.real)) throw await noRoomFor(folder, kept, there, disk);
    const { size, partial } = await receive(body, folder, kept, {
      ...{
        start,
        there: headers.has(KEY) ? 0 : there,
        limit: Math.min(this.options.limit, total ?? Infinity),
        disk,
        replaced,
      },
      ...end !== undefined && { length: end - start },
      ...!headers.has("content-range") && { spare },
    });
    if (end !== undefined && size < end) throw new RequestError(400, "The upload is shorter than announced.");
    if (total !== undefined && size < total) return progress(size, total);
    const time = timeIn(headers);
    try {
      if (time) Deno.utimeSync(folder.path(partial), new Date(), time);
      if (destination.isDropped) return finishDropped(folder, partial, name);
      // Checked again: a file of the name may have appeared, vanished or changed during the upload.
      const existing = this.#existingAt(path);
      this.#checkConditions({ path, existing }, headers);
      finishPartial(folder, partial, name, existing ? this.#mayReplace(existing) : this.options.overwrite);
      return { status: existing ? 200 : 201 };
    } catch (error) {
      const isLeft = folder.stat(partial) !== undefined;
      folder.remove(partial);
      // exfat-fuse (1.3.0) says this of names that it does not support, too.
      if (error instanceof Deno.errors.NotFound) throw isLeft ? unnamable() : removed();
      if (error instanceof RequestError) throw error;
      throw error instanceof Deno.errors.AlreadyExists ? taken() : refusalOf(error);
    }
  }

  /**
   * Checks what can be checked before the upload's folder exists.
   * @throws RequestError 400 or 404 for a name that no upload may have, 413 if it is too large.
   */
  #checkBefore(names: readonly string[], extent: Extent): void {
    const name = names.at(-1)!, path = this.root.path(names);
    if (name === "") throw nameless();
    if (isTooLong(name)) throw unnamable();
    if (this.root.hides(path) || this.root.isSecretPath(path)) throw notFound();
    if (sizeOf(extent) > this.options.limit) throw tooLarge(this.options.limit);
  }

  /** Finds an upload's folder. @throws RequestError 400 if the path names no file, 404 without the folder. */
  #folderOf(names: readonly string[]): Resolved {
    if (names.at(-1) === "") throw nameless();
    return this.#folder(this.root.path(names.slice(0, -1)), names);
  }

  /** @throws RequestError 404, 400 or 409 if no file can have that name. */
  #destination(
    folder: FolderHandle,
    names: readonly string[],
    isDropped: boolean,
  ): Omit<Destination, "isDropped"> {
    const name = names.at(-1)!, path = join(folder.real, name);
    // An archive containing such a name would put files elsewhere on Windows.
    if (name.includes("\\")) {
      throw new RequestError(400, "The path is not valid: an uploaded name cannot contain a backslash.");
    }
    if (isTooLong(name)) throw unnamable();
    if (this.root.hides(path) || this.root.isSecretPath(path)) throw notFound();
    return { folder, name, path, existing: isDropped ? undefined : this.#existingAt(path) };
  }

  /** Describes the file that an upload would replace. @throws RequestError 404 or 409 if it must not be. */
  #existingAt(path: string): Deno.FileInfo | undefined {
    const existing = infoOf(path);
    if (existing && this.root.isExcluded(path, existing)) throw notFound();
    if (existing && !existing.isFile) throw noFile();
    return existing;
  }

  /**
   * Creates the missing folders in an upload's path.
   * @throws RequestError 404 if a folder must not be created there, 400 if the system rejects a name or the
   * path is too deep, 409 if a name in it belongs to something other than a folder.
   */
  #makeParents(names: readonly string[]): void {
    const folders = names.slice(0, -1);
    if (folders.length > DEPTH_LIMIT) {
      throw new RequestError(400, `A path may have at most ${DEPTH_LIMIT} folders.`);
    }
    if (folders.includes("")) throw new RequestError(400, "A folder needs a name.");
    for (let depth = 1; depth <= folders.length; depth++) {
      const lexicalPath = this.root.path(folders.slice(0, depth));
      const there = this.root.resolveOrNull(lexicalPath);
      if (there) {
        if (!there.info.isDirectory) {
          throw new RequestError(409, "That name is in use by something other than a folder.");
        }
        continue;
      }
      // The folder above may be a link to a folder elsewhere below the root.
      using above = FolderHandle.open(
        this.#folder(this.root.path(folders.slice(0, depth - 1)), folders.slice(0, depth)),
      );
      const name = folders[depth - 1], path = join(above.real, name);
      if (isTooLong(name)) throw unnamable();
      if (this.root.hides(path) || this.root.isSecretPath(path) || infoOf(path)) throw notFound();
      makeFolder(above, name);
    }
  }

  /** @throws RequestError 404 with the folder's name if it does not exist or is never served. */
  #folder(lexicalPath: string, names: readonly string[]): Resolved {
    const missing = () => {
      const name = printable(`/${names.slice(0, -1).join("/")}`, 200);
      const status = this.options.forDav ? 409 : 404;
      return new RequestError(status, `There is no folder ${name} for the file.`);
    };
    try {
      const resolved = this.root.resolve(lexicalPath);
      if (!resolved.info.isDirectory) throw missing();
      return resolved;
    } catch (error) {
      throw error instanceof RequestError && error.status === 404 ? missing() : error;
    }
  }

  /**
   * @throws RequestError 409 if an existing file must not be replaced, 412 if it is not the version that the
   * client expects.
   */
  #checkConditions({ path, existing }: Pick<Destination, "path" | "existing">, headers: Headers): void {
    const options = { strong: true, trustHtml: false, shared: [] };
    const validators = existing ? describe(path, existing, options).validators : undefined;
    if (validators ? precondition(headers, validators) : headers.has("if-match")) {
      throw new RequestError(412, "The file is not the requested version.");
    }
    if (existing && !this.#mayReplace(existing)) throw taken();
  }

  #mayReplace({ isFile, size }: Deno.FileInfo): boolean {
    return this.options.overwrite || this.options.forDav === true && isFile && size === 0;
  }
}

/** The names in a path, which must have neither dot segments nor empty names: writes require exact names. */
function exactNames(path: string): string[] {
  const names = pathNames(path);
  if (names.length !== path.split("/").length - 1) {
    throw new RequestError(400, "The path is not valid: here, no name can be empty, . or ..");
  }
  return names;
}

/** The minimum size of the file once an upload is complete. */
function sizeOf({ total, end }: Extent): number {
  return Math.max(total ?? 0, end ?? 0);
}

function nameless(): RequestError {
  return new RequestError(400, "An upload needs a file name after the folder path.");
}

/** Whether an upload's query asks to create the folders in its path. */
function asksForParents(query: string): boolean {
  return /^parents=?$/.test(query);
}

/** @throws RequestError as if an upload into the folder above were refused. */
function makeFolder(above: FolderHandle, name: string): void {
  try {
    above.makeFolder(name);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return; // another upload made the folder
    throw refusalOf(error);
  }
}

function taken(): RequestError {
  return new RequestError(409, "A file with that name exists, and --allow-overwrite is not set.");
}

function removed(): RequestError {
  return new RequestError(
    409,
    "Another program has removed the folder or the unfinished upload; send it again.",
  );
}

function noFile(): RequestError {
  return new RequestError(409, "That name is in use by something other than a file.");
}

function progress(there: number, total: number): Taken {
  return { status: 202, there, total };
}

/**
 * Gives a dropped file its name, or another one if that is taken: `a.txt`, `a (2).txt`, and so on.
 * @throws RequestError 409 if all are taken.
 */
function finishDropped(folder: FolderHandle, partial: string, name: string): Taken {
  const [, stem, ending] = /^(.+?)((?:\.tar)?\.[^.]{1,12})?$/s.exec(name)!;
  for (let i = 1; i <= NAMES_LIMIT; i++) {
    try {
      finishPartial(folder, partial, i === 1 ? name : `${stem} (${i})${ending ?? ""}`, false);
      return { status: 201 };
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
  throw new RequestError(409, "Too many files have that name.");
}

/**
 * The file's time at the client, if the client sends it: `X-OC-Mtime`, as ownCloud and Nextcloud clients do. An
 * invalid one is refused, as by Nextcloud, because otherwise a script would lose the file's time without notice.
 * @throws RequestError 400 if it is not a number of seconds since 1970.
 */
function timeIn(headers: Headers): Date | undefined {
  const sent = headers.get(TIME);
  if (sent === null) return undefined;
  const seconds = Number(sent);
  if (/^-?\d+(?:\.\d*)?$/.test(sent) && Math.abs(seconds) < TIME_LIMIT) return new Date(seconds * 1000);
  throw new RequestError(
    400,
    `X-OC-Mtime must be seconds since 1970, such as 1764350000, not "${printable(sent)}".`,
  );
}

/** @param names The names in the file's path. */
function answerOf(request: Request, taken: Taken, names: readonly string[], drop?: Drop): Response {
  const say = sayingFor(request);
  if (taken.status === 202) {
    return say(202, `${taken.there} of ${taken.total} bytes are there.`, { [OFFSET]: `${taken.there}` });
  }
  // ownCloud's clients and rclone look for this word.
  const time: Record<string, string> = request.headers.has(TIME) ? { [TIME]: "accepted" } : {};
  if (taken.status === 200) return say(200, "The file was replaced.", time);
  if (drop) return say(201, "The file has arrived.", time);
  // RFC 9110 section 9.3.4: the response to a PUT that created a file contains its location. It is relative
  // to the request's, because a proxy may add a path prefix.
  const path = `/${names.map(encodeURIComponent).join("/")}`, location = encodeURIComponent(names.at(-1)!);
  const isProxied = [...request.headers.keys()].some((name) => PROXY_HEADER.test(name));
  const place = isProxied ? location : new URL(path, request.url);
  return say(201, `The file is there now: ${place}`, { ...time, location });
}

function infoOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (isUnnamable(error)) throw unnamable();
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Most file systems support names of up to 255 bytes, those of Windows 255 UTF-16 code units. */
const NAME_LIMIT = 255;

function isTooLong(name: string): boolean {
  const length = Deno.build.os === "windows" ? name.length : new TextEncoder().encode(name).length;
  return length > NAME_LIMIT;
}
