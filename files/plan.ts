/**
 * Plans the response to a request for a file: preconditions first, then ranges (RFC 9110 sections 13 and 14). Also reads
 * the range of an upload.
 */

import { RequestError } from "../http/request.ts";
import { precondition, rangeApplies } from "./conditional.ts";
import type { Representation } from "./representation.ts";

// Byte ranges (RFC 9110 section 14).

/** Bytes from `start` to `end`, both inclusive, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

/**
 * Maximum number of parts, after joining ranges that overlap or touch; beyond it, the whole file is sent.
 */
const PARTS_LIMIT = 64;
/** Maximum number of ranges in one header; for a longer list, the whole file is sent. */
const SPECS_LIMIT = 1024;

/**
 * Parses a Range header.
 * @param header Its value.
 * @param size Size of the file, in bytes.
 * @returns The ranges to send, in the requested order unless some were joined; an empty list if none can be
 * satisfied (416); undefined if the header is ignored because it is malformed, too long, or in another unit.
 * @example
 * parseRange("bytes=0-99, -1", 1000); // [{ start: 0, end: 99 }, { start: 999, end: 999 }]
 */
export function parseRange(header: string, size: number): ByteRange[] | undefined {
  const list = /^bytes\s*=(.*)$/i.exec(header.trim())?.[1];
  if (list === undefined) return undefined;
  const specs = list.split(",").map((spec) => spec.trim()).filter((spec) => spec !== "");
  if (!specs.length || specs.length > SPECS_LIMIT) return undefined;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const match = /^(\d*)-(\d*)$/.exec(spec);
    if (!match || spec === "-") return undefined;
    const range = resolved(match[1], match[2], size);
    if (range === undefined) return undefined;
    if (range) ranges.push(range);
  }
  if (ranges.length < 2) return ranges;
  const joined = coalesced(ranges);
  return joined.length > PARTS_LIMIT ? undefined : joined;
}

/** @returns null if it is beyond the end of the file, undefined if it is malformed. */
function resolved(first: string, last: string, size: number): ByteRange | null | undefined {
  if (first === "") { // the last bytes
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { start: size - length, end: size - 1 };
  }
  const start = Number(first), end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start >= size ? null : { start, end };
}

/** Joins ranges that overlap or touch; preserves their order if none do (RFC 9110 section 15.3.7.2). */
function coalesced(ranges: ByteRange[]): ByteRange[] {
  const sorted = ranges.toSorted((a, b) => a.start - b.start);
  const joined: ByteRange[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last && range.start <= last.end + 1) last.end = Math.max(last.end, range.end);
    else joined.push({ ...range });
  }
  return joined.length === ranges.length ? ranges : joined;
}

// The bytes of a file that an upload contains.

/** The bytes that an upload contains. */
export interface Extent {
  /** Offset in the file at which the bytes begin. */
  start: number;
  /** Offset of the first byte after them; undefined if the client does not announce their number. */
  end?: number;
  /** Size of the whole file; undefined if the client does not announce it. */
  total?: number;
  /** Whether the upload is empty and asks how many bytes have arrived. */
  isQuestion: boolean;
}

/**
 * Reads which part of a file an upload contains: the whole file, a part (`Content-Range: bytes 5-9/20`, RFC
 * 9110 section 14.5), or nothing, which asks how many bytes have arrived (a `Content-Range` with `*` instead
 * of the range).
 * @throws RequestError 400 if the headers contradict each other.
 */
export function extentOf(headers: Headers): Extent {
  const sent = headers.get("content-length"), range = headers.get("content-range");
  const length = sent === null ? undefined : Number(sent);
  if (range === null) return { start: 0, end: length, total: length, isQuestion: false };
  const [, first, last, all] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/i.exec(range.trim()) ?? [];
  const total = Number(all);
  if (all === undefined || !Number.isSafeInteger(total)) throw malformed();
  if (first === undefined) {
    if (length) throw malformed();
    return { start: 0, end: 0, total, isQuestion: true };
  }
  const start = Number(first), end = Number(last) + 1;
  if (start >= end || end > total || length !== undefined && length !== end - start) throw malformed();
  return { start, end, total, isQuestion: false };
}

function malformed(): RequestError {
  return new RequestError(
    400,
    "Content-Range must be `bytes FIRST-LAST/TOTAL` with as many bytes as the upload has, or `bytes */TOTAL` with none.",
  );
}

// Responses.

/** The facts of a request that determine the response. */
interface RequestFacts {
  /** GET or HEAD. */
  method: string;
  headers: Headers;
  /** The URL's query without `?`. */
  query: string;
}

/** A piece of a body: bytes of the file, or text between them. */
export type Piece = ByteRange | Uint8Array<ArrayBuffer>;

/** A response whose content has not been read yet. */
interface Plan {
  /** The response's status: 200, 206, 304, 412 or 416. For the last two the response is an error page. */
  status: number;
  headers: [string, string][];
  /** The pieces of the body; empty for HEAD and for responses without file content. */
  pieces: Piece[];
}

/**
 * Plans a response.
 * @param boundary Returns the boundary between the parts of a response with several ranges; random by
 * default.
 * @example
 * const file = { size: 1000, headers: [], validators: { etag: '"1"', modified: 0 } };
 * plan({ method: "GET", headers: new Headers({ range: "bytes=0-99" }), query: "" }, file).pieces; // [{ start: 0, end: 99 }]
 */
export function plan(
  request: RequestFacts,
  file: Representation,
  boundary = () => `deskhand-${crypto.randomUUID()}`,
): Plan {
  const { method, headers, query } = request;
  const unmet = precondition(headers, file.validators);
  if (unmet === 412) return { status: 412, headers: [], pieces: [] };
  const all = query === "" ? file.headers : file.headersFor(query);
  if (unmet === 304) {
    // Removes Content-Length, which a 304 may have (RFC 9110, section 8.6), but Deno removes it anyway.
    return { status: 304, headers: all.filter(([name]) => name !== "content-length"), pieces: [] };
  }
  const planned = content(headers, file, all, boundary);
  // RFC 9110 section 14.2: Range applies to GET only; HEAD is planned like GET, so that both have the same
  // headers.
  return method === "HEAD" ? { ...planned, pieces: [] } : planned;
}

/** The total length of pieces, in bytes. */
export function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + pieceLength(piece), 0);
}

/** The length of a piece, in bytes. */
export function pieceLength(piece: Piece): number {
  return piece instanceof Uint8Array ? piece.length : piece.end - piece.start + 1;
}

function content(
  request: Headers,
  file: Representation,
  headers: [string, string][],
  boundary: () => string,
): Plan {
  const range = request.get("range");
  const ranges = range !== null && rangeApplies(request.get("if-range"), file.validators)
    ? parseRange(range, file.size)
    : undefined;
  if (!ranges) return { status: 200, headers, pieces: file.size ? [{ start: 0, end: file.size - 1 }] : [] };
  if (!ranges.length) {
    return { status: 416, headers: [["content-range", `bytes */${file.size}`]], pieces: [] };
  }
  const { pieces, own } = ranges.length === 1
    ? onePart(file, ranges)
    : severalParts(file, ranges, boundary());
  return {
    status: 206,
    headers: [...headers.filter(([name]) => !own.some(([other]) => other === name)), ...own],
    pieces,
  };
}

/** A body, and the headers that it replaces or adds. */
interface Partial {
  pieces: Piece[];
  own: [string, string][];
}

function onePart({ size }: Representation, pieces: ByteRange[]): Partial {
  const [{ start, end }] = pieces;
  return {
    pieces,
    own: [["content-range", `bytes ${start}-${end}/${size}`], ["content-length", `${lengthOf(pieces)}`]],
  };
}

/** RFC 9110 section 14.6: multipart/byteranges. */
function severalParts({ size, type }: Representation, ranges: ByteRange[], boundary: string): Partial {
  const text = (part: string) => new TextEncoder().encode(part);
  const pieces = ranges.flatMap(({ start, end }): Piece[] => [
    text(
      `\r\n--${boundary}\r\ncontent-type: ${type}\r\ncontent-range: bytes ${start}-${end}/${size}\r\n\r\n`,
    ),
    { start, end },
  ]);
  pieces.push(text(`\r\n--${boundary}--\r\n`));
  return {
    pieces,
    own: [
      ["content-type", `multipart/byteranges; boundary=${boundary}`],
      ["content-length", `${lengthOf(pieces)}`],
    ],
  };
}
