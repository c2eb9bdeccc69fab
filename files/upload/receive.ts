/** Writes the body of an upload into a file. */

import { RequestError } from "../../http/request_error.ts";
import { isFull } from "../file_errors.ts";
import { openPartial } from "./partial.ts";

/** The disk has no room for an upload. */
export function noRoom(): RequestError {
  return new RequestError(507, "The disk has no room for this file.");
}

/** A file is larger than allowed. */
export function tooLarge(limit: number): RequestError {
  return new RequestError(413, `The file is larger than the ${limit} bytes allowed (--upload-limit).`);
}

/**
 * Writes a body at a place of a file, whose end it becomes.
 * @param start Where, in bytes.
 * @param limit The most bytes that the file may have.
 * @returns Bytes of the file.
 * @throws RequestError 413 if the body is too long, 507 if the disk is full, 499 if the client left; what
 *   {@linkcode openPartial} throws, and what Deno throws if the file cannot be written otherwise.
 */
export async function receive(
  body: ReadableStream<Uint8Array> | null,
  path: string,
  start: number,
  limit: number,
): Promise<number> {
  let at = start;
  try {
    using file = await openPartial(path, start);
    await file.truncate(start);
    await file.seek(start, Deno.SeekMode.Start);
    for await (const chunk of chunksOf(body)) {
      if (at + chunk.length > limit) throw tooLarge(limit);
      for (let written = 0; written < chunk.length;) written += await file.write(chunk.subarray(written));
      at += chunk.length;
    }
    return at;
  } catch (error) {
    throw isFull(error) ? noRoom() : error;
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  for (;;) {
    const { value, done } = await reader?.read().catch(() => {
      throw new RequestError(499, "The client left before the upload was whole.");
    }) ?? { done: true, value: undefined };
    if (done) return;
    yield value;
  }
}
