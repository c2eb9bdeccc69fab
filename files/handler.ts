/**
 * The file door: files, ranges and listings of one folder, to be read only. It knows nothing of desktops.
 */

import { RequestError, UsageError } from "../errors.ts";
import type { Guard, Handler } from "../http/handler.ts";
import { targetOf } from "../http/target.ts";
import { BUFFER_LIMIT, lengthOf, type Piece, readPieces, streamPieces } from "./body.ts";
import { ContentCache, isSettled, isUnchanged, KEPT_FILE_LIMIT } from "./cache.ts";
import { precondition, rangeApplies } from "./conditional.ts";
import { listing } from "./listing.ts";
import { errorPage, redirect } from "./pages.ts";
import { type ByteRange, parseRange } from "./range.ts";
import { describe, type Representation } from "./representation.ts";
import { type Found, pathNames, Root } from "./resolve.ts";

/** What the file door is made of. */
export interface FilesOptions {
  /** The folder to serve. */
  root: string;
  /** Whether a folder's index.html is served in place of its listing. */
  index?: boolean;
  /** Whether files that may hold scripts go without a sandbox. */
  trustHtml?: boolean;
  /** Turns requests away before anything is looked at. */
  guard?: Guard;
  /** Gets errors that no client is told of. */
  report?: (error: unknown) => void;
}

/** How often a file is read anew that changes while it is read. */
const READ_TRIES = 3;

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

/** A file that is kept, with what its answers are made of. */
interface KeptFile {
  info: Deno.FileInfo;
  content: Uint8Array<ArrayBuffer>;
  representation: Representation;
}

class FileDoor {
  readonly #root: Root;
  readonly #kept = new ContentCache<KeptFile>();

  constructor(readonly options: FilesOptions, real: string) {
    this.#root = new Root(real);
  }

  answer(request: Request): Response | Promise<Response> {
    const { method } = request;
    if (method !== "GET" && method !== "HEAD") {
      throw new RequestError(405, "Only GET and HEAD are answered here.", { allow: "GET, HEAD" });
    }
    const { path, query } = targetOf(request.url);
    const names = pathNames(path);
    const place = this.#root.path(names);
    if (names.at(-1) !== "") {
      const kept = this.#kept.get(place, statOrNull);
      if (kept) {
        return respond(request, kept.representation, query, (pieces) => fromMemory(kept.content, pieces));
      }
    }
    const found = this.#root.find(place);
    if (found.info.isFile) {
      // A slash behind a file's name asks for a folder of that name.
      if (names.at(-1) === "") throw new RequestError(404, "The requested resource was not found.");
      return this.#file(request, place, found, query);
    }
    if (names.at(-1) !== "") {
      return redirect(`./${encodeURIComponent(names.at(-1)!)}/${query ? `?${query}` : ""}`);
    }
    return this.#folder(request, place, found, names.slice(0, -1), query);
  }

  #folder(request: Request, place: string, found: Found, names: string[], query: string) {
    if (this.options.index) {
      const index = this.#root.path([...names, "index.html"]);
      const info = statOrNull(index);
      const found = info?.isFile ? this.#root.findOrNull(index) : undefined;
      if (found) return this.#file(request, index, found, query);
    }
    return listing(this.#root, found.real, names, query, place);
  }

  #file(request: Request, place: string, found: Found, query: string): Response {
    for (let tries = 1;; tries++) {
      const { file, info } = this.#root.open(place, found);
      let streaming = false;
      try {
        const representation = describe(place, info, this.options.trustHtml ?? false);
        const response = respond(request, representation, query, (pieces) => {
          if (lengthOf(pieces) > BUFFER_LIMIT) {
            streaming = true;
            return streamPieces(file, info, pieces);
          }
          return readPieces(file, pieces);
        });
        if (!streaming && info.size <= KEPT_FILE_LIMIT && isSettled(info)) {
          this.#keep(place, file, info, representation);
        }
        if (streaming || isUnchanged(info, file.statSync())) return response;
        if (tries === READ_TRIES) throw new Error(`${found.real} changes all the time`);
        found = this.#root.find(place);
      } finally {
        if (!streaming) file.close();
      }
    }
  }

  #keep(place: string, file: Deno.FsFile, info: Deno.FileInfo, representation: Representation) {
    const content = readPieces(file, info.size ? [{ start: 0, end: info.size - 1 }] : []);
    if (isUnchanged(info, file.statSync())) this.#kept.set(place, { info, content, representation });
  }
}

/**
 * Answers for a file: preconditions, then ranges.
 * @param body Makes the body of pieces of the file.
 */
function respond(
  request: Request,
  file: Representation,
  query: string,
  body: (pieces: Piece[]) => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
): Response {
  const { headers, method } = request;
  const unmet = precondition(headers, file.validators);
  if (unmet === 412) return errorPage(412);
  const own = query === "" ? file.headers : file.headersFor(query);
  if (unmet === 304) {
    return new Response(null, {
      status: 304,
      headers: own.filter(([name]) => name !== "content-length"),
    });
  }
  const rangeHeader = headers.get("range");
  // RFC 9110 section 14.2: Range is for GET; HEAD is answered as GET, so that its headers are the same.
  const ranges = rangeHeader !== null && rangeApplies(headers.get("if-range"), file.validators)
    ? parseRange(rangeHeader, file.size)
    : undefined;
  if (ranges?.length === 0) return errorPage(416, undefined, { "content-range": `bytes */${file.size}` });
  const { status, pieces, extra } = ranges ? partial(file, ranges) : whole(file);
  // The server leaves the content of a HEAD out, and its length in.
  const content = method === "HEAD" && lengthOf(pieces) > BUFFER_LIMIT ? null : body(pieces);
  return new Response(content, { status, headers: extra.length ? replaced(own, extra) : own });
}

function whole(file: Representation) {
  return { status: 200, pieces: file.size ? [{ start: 0, end: file.size - 1 }] : [], extra: [] };
}

function partial(
  file: Representation,
  ranges: ByteRange[],
): { status: number; pieces: Piece[]; extra: [string, string][] } {
  if (ranges.length === 1) {
    const [{ start, end }] = ranges;
    return {
      status: 206,
      pieces: ranges,
      extra: [["content-range", `bytes ${start}-${end}/${file.size}`], [
        "content-length",
        String(end - start + 1),
      ]],
    };
  }
  // RFC 9110 section 14.6: multipart/byteranges.
  const boundary = `deskhand-${crypto.randomUUID()}`;
  const text = (part: string) => new TextEncoder().encode(part);
  const pieces: Piece[] = ranges.flatMap(({ start, end }): Piece[] => [
    text(
      `\r\n--${boundary}\r\ncontent-type: ${file.type}\r\ncontent-range: bytes ${start}-${end}/${file.size}\r\n\r\n`,
    ),
    { start, end },
  ]);
  pieces.push(text(`\r\n--${boundary}--\r\n`));
  return {
    status: 206,
    pieces,
    extra: [
      ["content-type", `multipart/byteranges; boundary=${boundary}`],
      ["content-length", String(lengthOf(pieces))],
    ],
  };
}

function replaced(headers: [string, string][], extra: [string, string][]): [string, string][] {
  return [...headers.filter(([name]) => !extra.some(([other]) => other === name)), ...extra];
}

/** Pieces of a file that is in memory; all of it without a copy. */
function fromMemory(content: Uint8Array<ArrayBuffer>, pieces: readonly Piece[]): Uint8Array<ArrayBuffer> {
  if (pieces.length === 0) return content;
  if (pieces.length === 1) {
    const { start, end } = pieces[0] as ByteRange;
    return end - start + 1 === content.length ? content : content.subarray(start, end + 1);
  }
  const joined = new Uint8Array(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) {
    const part = piece instanceof Uint8Array ? piece : content.subarray(piece.start, piece.end + 1);
    joined.set(part, at);
    at += part.length;
  }
  return joined;
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
