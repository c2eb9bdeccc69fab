/** Reading what a client sends, within bounds of size and time. */

import { delay } from "@std/async/delay";
import { parseJson } from "../../core/json.ts";
import { RequestError } from "../../http/request_error.ts";

/** The largest body of an ordinary request, in bytes. */
const BODY_LIMIT = 64 * 1024;
/** How long a client may take to send a body, in milliseconds. */
const BODY_TIME_MS = 10_000;
/** Pieces, of at most 64 KiB, that are read without a turn for other requests: some milliseconds of work. */
const PIECES_A_TURN = 16;

/**
 * Reads a body in pieces.
 * @param limit Bytes allowed.
 * @returns The bytes in the pieces in which they arrived; the client sent all of them.
 * @throws RequestError 413 if it is longer (as soon as that is known), 408 if it takes too long, 400 if it
 * breaks off.
 */
export async function readPieces(
  request: Request,
  limit: number,
  timeMs = BODY_TIME_MS,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const tooLarge = () =>
    new RequestError(413, `the body is larger than the ${limit} bytes allowed`, { connection: "close" });
  const length = Number(request.headers.get("content-length") ?? NaN);
  if (length > limit) throw tooLarge();
  if (!request.body) return [];
  const reader = request.body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new RequestError(408, `the body did not arrive within ${timeMs / 1000} s`, { connection: "close" }),
      );
    }, timeMs);
  });
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    while (true) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return pieces;
      size += value.length;
      if (size > limit) throw tooLarge();
      pieces.push(value);
      if (pieces.length % PIECES_A_TURN === 0) await delay(0);
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    if (error instanceof RequestError) throw error;
    // The client has closed its sending half: Deno (2.9.6) fails the read that would tell the body's end.
    if (size === length) return pieces;
    throw new RequestError(400, "the body broke off");
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads a body.
 * @param limit Bytes allowed.
 * @throws RequestError like {@linkcode readPieces}.
 */
export async function readBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces = await readPieces(request, limit);
  return pieces.length === 1 ? pieces[0] : await new Blob(pieces).bytes();
}

/**
 * Reads a body as JSON, regardless of its Content-Type. No body at all counts as an empty object.
 * @throws RequestError like {@linkcode readPieces}; InputError if it is not JSON in UTF-8.
 */
export function readJson(request: Request): Promise<unknown> {
  return readBody(request, BODY_LIMIT).then(parseJsonBody);
}

/**
 * Reads bytes as JSON. None at all count as an empty object.
 * @throws InputError if they are not JSON in UTF-8, or nested too deeply.
 */
export function parseJsonBody(bytes: Uint8Array): unknown {
  return bytes.length ? parseJson(bytes, "the body") : {};
}
