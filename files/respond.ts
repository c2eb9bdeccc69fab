/** Answers for a file: preconditions, then ranges. */

import { BUFFER_LIMIT, lengthOf, type Piece } from "./body.ts";
import { precondition, rangeApplies, type Validators } from "./conditional.ts";
import { errorPage } from "./pages.ts";
import { type ByteRange, parseRange } from "./range.ts";
import type { Representation } from "./representation.ts";

/** Makes a body of pieces of a file. */
export type BodyMaker = (pieces: Piece[]) => Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/**
 * Answers where a precondition decides.
 * @returns 304 or 412; undefined if the file is to be sent.
 */
export function conditionalAnswer(
  request: Request,
  file: Representation,
  query: string,
): Response | undefined {
  const unmet = precondition(request.headers, file.validators);
  if (unmet === undefined) return undefined;
  if (unmet === 412) return errorPage(412);
  // Deno takes a Content-Length off a 304, which may have one and need not (RFC 9110 section 8.6).
  const headers = headersOf(file, query).filter(([name]) => name !== "content-length");
  return new Response(null, { status: 304, headers });
}

/**
 * Gives a listing's answer, unless a precondition decides.
 * @returns The listing, a 304 with its headers, or a 412.
 */
export async function conditionalListing({ headers }: Request, listing: Response): Promise<Response> {
  const unmet = precondition(headers, {});
  if (unmet === undefined) return listing;
  await listing.body?.cancel();
  if (unmet === 412) return errorPage(412);
  const answer = new Response(null, { status: 304, headers: listing.headers });
  answer.headers.delete("content-length"); // as above
  return answer;
}

/** The Range that is to be honoured as far as If-Range is concerned; empty if there is none. */
export function rangeOf({ headers }: Request, validators: Validators): string {
  const range = headers.get("range");
  return range !== null && rangeApplies(headers.get("if-range"), validators) ? range : "";
}

/**
 * Answers with a file or ranges of it.
 * @param range A Range header's value; empty for all.
 * @param body Makes the body; not asked for one that only a HEAD would throw away, if it is large.
 */
export function contentAnswer(
  method: string,
  file: Representation,
  query: string,
  range: string,
  body: BodyMaker,
): Response {
  const headers = headersOf(file, query);
  // RFC 9110 section 14.2: Range is for GET; HEAD is answered as GET, so that its headers are the same.
  const ranges = range === "" ? undefined : parseRange(range, file.size);
  if (ranges?.length === 0) return errorPage(416, undefined, { "content-range": `bytes */${file.size}` });
  const { status, pieces, extra } = ranges ? partial(file, ranges) : whole(file);
  // The listener takes the content of a HEAD off, and leaves its length.
  const content = method === "HEAD" && lengthOf(pieces) > BUFFER_LIMIT ? null : body(pieces);
  return new Response(content, { status, headers: extra.length ? replaced(headers, extra) : headers });
}

function headersOf(file: Representation, query: string): [string, string][] {
  return query === "" ? file.headers : file.headersFor(query);
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
