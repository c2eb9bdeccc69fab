/** Bodies that are made while they are sent. */

import { nodeModule } from "../core/path.ts";

/** A piece of a body, in memory of its own. */
type Piece = Uint8Array<ArrayBuffer>;

/**
 * Makes a body of pieces. Each piece is made when the reader asks for it, so that a slow reader does not fill memory.
 *
 * A piece's memory is freed when the reader asks for the next piece, and not by the garbage collector later:
 * Deno.serve has passed the piece to the system by then, or keeps the memory itself. The next piece then uses the
 * same memory, which is in the processor's cache: 1 GB takes a quarter less time, and a picture of the screen a
 * fifth. Any other reader has to copy a chunk before asking for the next chunk.
 * @param next Makes the next piece; undefined at the end.
 * @param end Called once: at the end, when a piece cannot be made, or when the reader has gone.
 * @example
 * ```ts
 * const file = await Deno.open("film.mp4");
 * const body = streamOf(async () => {
 *   const piece = new Uint8Array(65536), read = await file.read(piece);
 *   return read === null ? undefined : piece.subarray(0, read);
 * }, () => file.close());
 * ```
 */
export function streamOf(
  next: () => Piece | undefined | Promise<Piece | undefined>,
  end: () => void,
): ReadableStream<Uint8Array> {
  let given: Piece | undefined;
  let ended = false;
  const endOnce = () => {
    if (!ended) end();
    ended = true;
  };
  return new ReadableStream<Uint8Array>({
    // With a high-water mark of 0, pull runs only when a reader waits.
    async pull(controller) {
      try {
        given?.buffer.transfer(0);
        given = await next();
        if (given) return controller.enqueue(given);
        endOnce();
        controller.close();
      } catch (error) {
        endOnce();
        controller.error(error);
      }
    },
    cancel: endOnce,
  }, { highWaterMark: 0 });
}

// Compression of answers (RFC 9110 sections 8.4 and 12.5.3).

/**
 * A header of text answers of deskhand's own: whether they are compressed depends on the request. An answer with this
 * header that is not compressed yet must have its body in memory.
 */
export const COMPRESSIBLE: [name: string, value: string] = ["vary", "accept-encoding"];

/** Codings that deskhand makes, the preferred one first. */
export const CODINGS = ["br", "gzip"] as const;
/** A coding: one of {@linkcode CODINGS}. */
export type Coding = typeof CODINGS[number];

/** Other names of codings (RFC 9110 section 8.4.1.3). */
const ALIASES: Record<string, string> = { "x-gzip": "gzip" };

/**
 * Returns which coding a client prefers.
 * @param headers The headers of the request; without Accept-Encoding no coding is meant.
 * @param offered Of codings with the same weight the first is chosen.
 * @returns undefined if the client prefers no coding.
 * @example
 * ```ts
 * preferredCoding(new Headers({ "accept-encoding": "gzip, br" }), ["br", "gzip"]); // "br"
 * preferredCoding(new Headers({ "accept-encoding": "br;q=0.5, *" }), ["br", "gzip"]); // "gzip"
 * ```
 */
export function preferredCoding<C extends Coding>(
  headers: Headers,
  offered: readonly C[],
): C | undefined {
  const accepted = headers.get("accept-encoding");
  if (accepted === null) return undefined;
  const weights = new Map<string, number>();
  for (const item of accepted.toLowerCase().split(",")) {
    const [, coding, weight = "1"] = /^\s*([^\s;]+)\s*(?:;\s*q=([\d.]+)\s*)?$/.exec(item) ?? [];
    if (coding) weights.set(ALIASES[coding] ?? coding, Number(weight));
  }
  const weight = (coding: C) => weights.get(coding) ?? weights.get("*") ?? 0;
  const best = offered.reduce((best, coding) => weight(coding) > weight(best) ? coding : best);
  return weight(best) > 0 && weight(best) >= (weights.get("identity") ?? 0) ? best : undefined;
}

/**
 * Whether a client prefers gzip to no coding.
 * @param headers As {@linkcode preferredCoding} takes them.
 */
export function acceptsGzip(headers: Headers): boolean {
  return preferredCoding(headers, ["gzip"]) !== undefined;
}

/**
 * Compresses an answer for a client that accepts it.
 * @param answer Any answer; an answer with {@linkcode COMPRESSIBLE} is compressed if that makes it shorter.
 * @returns An answer with the same status and headers but for Content-Encoding and Content-Length.
 */
export function compressedFor({ headers }: Request, answer: Response): Response | Promise<Response> {
  const [name, value] = COMPRESSIBLE;
  if (answer.headers.get(name) !== value || answer.headers.has("content-encoding")) return answer;
  // Reads `answer.body` last: reading it turns a body in memory into a stream, which Deno sends without a length.
  return acceptsGzip(headers) && answer.body ? compressed(answer) : answer;
}

async function compressed(answer: Response): Promise<Response> {
  const plain = await answer.bytes();
  const gzip = new Uint8Array(nodeModule("node:zlib").gzipSync(plain));
  const headers = new Headers(answer.headers);
  const shorter = gzip.length < plain.length;
  if (shorter) headers.set("content-encoding", "gzip");
  headers.set("content-length", String(Math.min(gzip.length, plain.length)));
  return new Response(shorter ? gzip : plain, { status: answer.status, headers });
}

// Bodies that are sent without being copied.

/** The longest body that is copied, in bytes: smaller ones are copied faster than they are streamed. */
const COPIED_LIMIT = 64 * 1024;
/** Bytes of a chunk. */
const CHUNK = 1024 * 1024;

/**
 * Makes a body of bytes that do not change until they are sent. A Response copies its array, which takes 5 ms for 8 MB;
 * the chunks of a stream are sent without a copy.
 * @returns The body. Its response needs a Content-Length, because a stream has none.
 */
export function zeroCopyBody(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length < COPIED_LIMIT) return bytes;
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += CHUNK) controller.enqueue(bytes.subarray(at, at + CHUNK));
      controller.close();
    },
  });
}
