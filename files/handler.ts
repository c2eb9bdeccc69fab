/**
 * The file door: files, ranges and listings of one folder, to be read only. It knows nothing of desktops.
 */

import { BusyError, FileChangedError, UsageError } from "../core/errors.ts";
import { RequestError } from "../http/request_error.ts";
import type { Guard, Handler } from "../http/handler.ts";
import { targetOf } from "../http/target.ts";
import { areStill, BUFFER_LIMIT, lengthOf, type Piece, piecesOf, readPieces, streamPieces } from "./body.ts";
import { ContentCache, type Kept, KEPT_CONTENT_LIMIT } from "./cache.ts";
import { Listings } from "./listing/listing.ts";
import { errorPage, redirect } from "./pages.ts";
import { describe, type Representation } from "./representation.ts";
import { type Found, isBusy, isExhausted, notFound, pathNames, Root } from "./resolve.ts";
import { findSecrets, type SecretPaths } from "./secrets.ts";
import { conditionalAnswer, conditionalListing, contentAnswer, rangeOf } from "./respond.ts";
import { isSettled, isUnchanged } from "./version.ts";

/** What the file door is made of. */
export interface FilesOptions {
  /** The folder to serve. */
  root: string;
  /** Whether a folder's index.html is served in place of its listing. */
  index?: boolean;
  /** Files that are never listed or served: deskhand's own secrets. */
  secrets?: SecretPaths;
  /** Whether names that begin with a dot are neither listed nor served. */
  noHidden?: boolean;
  /** Whether files that may hold scripts go without a sandbox. */
  trustHtml?: boolean;
  /** Turns requests away before anything is looked at. */
  guard?: Guard;
  /** Gets errors that no client is told of. */
  report?: (error: unknown) => void;
  /** Tells the time, in milliseconds since 1970; the system's if left out. */
  clock?: () => number;
}

/** The longest path and query that are looked at: longer than any path of a file, percent-encoded. */
const TARGET_LIMIT = 16 * 1024;
/** Under longer paths nothing is kept: they would outweigh what the bound of memory counts. */
const PATH_KEPT_LIMIT = 512;
/** Of longer Range headers no answer is kept. */
const RANGE_KEPT_LIMIT = 64;
/** How often a file is read anew that changes while it is read. */
const READ_TRIES = 3;
/** Of an answer that may soon be another. */
const RETRY = { "retry-after": "1" };

/**
 * Makes the handler of the file door.
 * @returns A handler that never throws.
 * @throws UsageError if the root is no folder that can be read.
 */
export function createFilesHandler(options: FilesOptions): Handler {
  const { guard, report = () => {} } = options;
  const door = new FileDoor(options, realFolder(options.root));
  return (request, peer) => {
    const failed = (error: unknown) => {
      if (error instanceof RequestError) return errorPage(error.status, error.message, error.headers);
      if (error instanceof BusyError) return errorPage(503, error.message, RETRY);
      if (isBusy(error)) return errorPage(503, "Another program uses the file; try again later.", RETRY);
      if (isExhausted(error)) return errorPage(503, "Too many files are open; try again later.", RETRY);
      report(error);
      return errorPage(500);
    };
    try {
      const refused = guard?.(request, peer);
      if (refused) return errorPage(refused.status, refused.message, refused.headers);
      const answer = door.answer(request);
      return answer instanceof Promise ? answer.catch(failed) : answer;
    } catch (error) {
      return failed(error);
    }
  };
}

/** What is kept of a file: where it is, and what its answers are made of. */
interface KeptFile extends Kept {
  representation: Representation;
}

/** What is asked for. */
interface Asked {
  request: Request;
  /** Percent-encoded, as it was sent. */
  path: string;
  /** Without `?`. */
  query: string;
}

class FileDoor {
  readonly #root: Root;
  readonly #listings: Listings;
  readonly #kept = new ContentCache<KeptFile>((place) => this.#root.lookOrNull(place));

  constructor(readonly options: FilesOptions, real: string) {
    const { secrets = { files: [] }, noHidden: hidden = false } = options;
    this.#root = new Root(real, { secrets: () => findSecrets(secrets), hidden });
    this.#listings = new Listings(this.#root);
  }

  answer(request: Request): Response | Promise<Response> {
    const { method } = request;
    if (method !== "GET" && method !== "HEAD") {
      throw new RequestError(405, "Only GET and HEAD are answered here.", { allow: "GET, HEAD" });
    }
    const asked = { request, ...targetOf(request.url) };
    if (asked.path.length + asked.query.length > TARGET_LIMIT) {
      throw new RequestError(414, `The path is longer than the ${TARGET_LIMIT} characters allowed.`);
    }
    const kept = this.#kept.get(asked.path);
    return kept
      ? kept.then((file) => file ? this.#fromKept(asked, file) : this.#fromDisk(asked))
      : this.#fromDisk(asked);
  }

  #fromDisk(asked: Asked): Response | Promise<Response> {
    const names = pathNames(asked.path);
    const place = this.#root.path(names);
    const found = this.#root.find(place);
    const last = names.at(-1)!;
    if (found.info.isFile) {
      // A slash behind a file's name asks for a folder of that name.
      if (last === "") throw notFound();
      return this.#file(asked, place, found);
    }
    if (last !== "") return redirect(`./${encodeURIComponent(last)}/${asked.query && `?${asked.query}`}`);
    return this.#folder(asked, place, found, names.slice(0, -1));
  }

  #fromKept(asked: Asked, kept: KeptFile): Response | Promise<Response> {
    const { request, path, query } = asked, { representation, content } = kept;
    const conditional = conditionalAnswer(request, representation, query);
    if (conditional) return conditional;
    const range = rangeOf(request, representation.validators);
    const isUsual = query === "" && range.length <= RANGE_KEPT_LIMIT;
    const answer = isUsual ? this.#kept.answer(path, kept, range) : undefined;
    if (answer) return answer;
    const keep = (made: Response) => {
      if (isUsual) this.#kept.keepAnswer(path, kept, range, made);
      return made;
    };
    if (content) {
      const body = (pieces: Piece[]) => piecesOf(content, pieces);
      return keep(contentAnswer(request.method, representation, query, range, body));
    }
    return this.#reopened(asked, kept).then((made) => made ? keep(made) : this.#fromDisk(asked));
  }

  /** Answers from a large file that was found before; undefined if it is no longer there, or no longer the same. */
  async #reopened(asked: Asked, kept: KeptFile): Promise<Response | undefined> {
    const opened = await this.#root.open(kept.place, kept).catch(() => undefined);
    // Whoever looks for it from the start finds out why it is not to be had.
    if (!opened) return undefined;
    const { file, info } = opened;
    if (isUnchanged(info, kept.info)) return this.#send(asked, file, info, kept.representation);
    file.close();
  }

  #folder(asked: Asked, place: string, found: Found, names: string[]): Response | Promise<Response> {
    if (this.options.index) {
      const index = this.#root.path([...names, "index.html"]);
      const info = statOrNull(index);
      const found = info?.isFile ? this.#root.findOrNull(index) : undefined;
      if (found) return this.#file(asked, index, found);
    }
    return this.#listings.answer(found, place, names, asked.query, asked.request.signal)
      .then((listing) => conditionalListing(asked.request, listing));
  }

  async #file(asked: Asked, place: string, found: Found): Promise<Response> {
    const { trustHtml = false, clock = Date.now } = this.options;
    for (let tries = 1;; tries++) {
      const { file, info, real } = await this.#root.open(place, found);
      const settled = isSettled(info, clock()); // asked once: what is made while it is not must never be kept
      const representation = describe(place, info, { settled, trustHtml });
      let content: Uint8Array<ArrayBuffer> | undefined;
      const response = this.#send(asked, file, info, representation, () => {
        if (info.size <= KEPT_CONTENT_LIMIT && settled) content = readAll(file, info);
      });
      if (response) {
        if (settled && asked.path.length <= PATH_KEPT_LIMIT) {
          this.#kept.set(asked.path, { place, real, info, content, representation });
        }
        return response;
      }
      if (tries === READ_TRIES) {
        throw new RequestError(503, "The file changes all the time; try again later.", RETRY);
      }
      found = this.#root.find(place);
    }
  }

  /**
   * Answers from a file that is open, and closes it, at once or when it is sent.
   *
   * A strong tag is for what did not change at all meanwhile. Under a weak one, which no range is put together by, it
   * is enough that all that was read was there at one moment: else a log that is written to could not be had.
   * @param also What else is to be done with the file while it is open.
   * @returns undefined if it changed meanwhile.
   */
  #send(
    { request, query }: Asked,
    file: Deno.FsFile,
    info: Deno.FileInfo,
    representation: Representation,
    also: () => void = () => {},
  ): Response | undefined {
    let streaming = false, wasThere = () => true;
    const body = (pieces: Piece[]) => {
      if (lengthOf(pieces) <= BUFFER_LIMIT) {
        const read = readPieces(file, pieces);
        wasThere = () => areStill(read, file, pieces);
        return read;
      }
      streaming = true;
      return streamPieces(file, info, pieces);
    };
    try {
      const range = rangeOf(request, representation.validators);
      const response = conditionalAnswer(request, representation, query) ??
        contentAnswer(request.method, representation, query, range, body);
      if (streaming) return response;
      also();
      const whole = isUnchanged(info, file.statSync()) || !representation.settled && wasThere();
      return whole ? response : undefined;
    } catch (error) {
      if (error instanceof FileChangedError) return undefined;
      throw error;
    } finally {
      if (!streaming) file.close();
    }
  }
}

function readAll(file: Deno.FsFile, { size }: Deno.FileInfo): Uint8Array<ArrayBuffer> {
  return readPieces(file, size ? [{ start: 0, end: size - 1 }] : []);
}

function statOrNull(path: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch {
    return null;
  }
}

function realFolder(root: string): string {
  try {
    const real = Deno.realPathSync(root);
    if (!Deno.statSync(real).isDirectory) throw new UsageError(`--files ${root} is no folder`);
    Deno.readDirSync(real)[Symbol.iterator]().next();
    return real;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (error instanceof Deno.errors.NotFound) {
      throw new UsageError(`--files ${root}: there is no such folder`);
    }
    throw new UsageError(`--files ${root} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
