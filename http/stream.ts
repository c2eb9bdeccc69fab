/** Bodies generated while they are sent. */

import { nodeModule } from "../core/path.ts";

/** The bodies of all responses that are being sent, for a stop, which waits only while they progress. */
export const SENDING = {
  /** The number of pieces that are being made. */
  making: 0,
  /** When a client last took a piece, by `performance.now()`. */
  takenAt: -Infinity,
};

/** A piece of a body, in its own memory. */
type Piece = Uint8Array<ArrayBuffer>;

/**
 * Creates a body from pieces. Each piece is made when the reader asks for it, so that a slow reader does not
 * fill memory.
 *
 * A piece's memory is freed when the reader asks for the next piece, rather than later by the garbage
 * collector: by then Deno.serve has passed the piece to the system, or holds the memory itself. The next
 * piece then reuses the same memory, which is in the CPU cache: 1 GB takes a quarter less time, and a
 * screenshot a fifth less. Any other reader must copy a chunk before asking for the next one.
 * @param next Returns the next piece; undefined at the end.
 * @param end Called once: at the end, when a piece cannot be made, or when the reader has left.
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
    // With a high-water mark of 0, pull only runs when a reader is waiting.
    async pull(controller) {
      SENDING.takenAt = performance.now();
      try {
        given?.buffer.transfer(0);
        SENDING.making++;
        given = await Promise.try(next).finally(() => SENDING.making--);
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

/** The same body, whose pieces a stop of the program sees: see {@linkcode SENDING}. */
export function passedOn(body: ReadableStream<Piece>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return streamOf(async () => (await reader.read()).value, () => void reader.cancel().catch(() => {}));
}

// Response compression (RFC 9110 sections 8.4 and 12.5.3).

/**
 * A header of deskhand's own text responses: whether they are compressed depends on the request. A response
 * with this header that is not yet compressed must have its body in memory.
 */
export const COMPRESSIBLE: [name: string, value: string] = ["vary", "accept-encoding"];

/** Codings that deskhand supports, preferred first. */
export const CODINGS = ["br", "gzip"] as const;
/** A coding: one of {@linkcode CODINGS}. */
export type Coding = typeof CODINGS[number];

/** Other names for codings (RFC 9110 section 8.4.1.3). */
const ALIASES: Record<string, string> = { "x-gzip": "gzip" };

/**
 * Returns the coding that a client prefers.
 * @param headers The request's headers; without Accept-Encoding, no coding is used.
 * @param offered Of codings with the same weight, the first is chosen.
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
 * @param headers As for {@linkcode preferredCoding}.
 */
export function acceptsGzip(headers: Headers): boolean {
  return preferredCoding(headers, ["gzip"]) !== undefined;
}

/**
 * Compresses a response for a client that accepts it.
 * @param answer Any response; one with {@linkcode COMPRESSIBLE} is compressed if that makes it shorter.
 * @returns A response with the same status and headers except for Content-Encoding and Content-Length.
 */
export function compressedFor({ headers }: Request, answer: Response): Response | Promise<Response> {
  const [name, value] = COMPRESSIBLE;
  if (answer.headers.get(name) !== value || answer.headers.has("content-encoding")) return answer;
  // Reads `answer.body` last: reading it turns an in-memory body into a stream, which Deno sends without a
  // length.
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

// Bodies sent without being copied.

/** Maximum size of a copied body, in bytes: smaller ones are copied faster than streamed. */
const COPIED_LIMIT = 64 * 1024;
/** Bytes per chunk. */
const CHUNK = 1024 * 1024;

/**
 * Creates a body from bytes that do not change until they are sent. A Response copies its array, which takes
 * 5 ms for 8 MB; stream chunks are sent without a copy.
 * @returns The body. Its response needs a Content-Length, because a stream has none.
 */
export function zeroCopyBody(
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (bytes.length < COPIED_LIMIT) return bytes;
  let at = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      SENDING.takenAt = performance.now();
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at += CHUNK));
      else controller.close();
    },
  }, { highWaterMark: 0 });
}
