/** Writes the body of an upload into a file. */

import { RequestError } from "../../http/request_error.ts";
import { isFull, isReadOnly, isUnnamable } from "../file_errors.ts";
import { openPartial } from "./partial.ts";

/** The disk has no room for an upload. */
function noRoom(): RequestError {
  return new RequestError(507, "The disk has no room for this file.");
}

/**
 * Makes the error for an upload that needs more room than its disk has. Systems that are read-only, such as those of
 * CDs, have no room either, so the partial file is opened for the reason.
 * @param path The partial file, which is empty or gone afterwards if `there` is 0.
 * @param there Bytes of the partial file.
 */
export async function noRoomFor(path: string, there: number): Promise<unknown> {
  try {
    using _file = await openPartial(path, there);
    return noRoom();
  } catch (error) {
    return refusalOf(error);
  }
}

/** Makes the error for a name that the file system refuses. */
export function unnamable(): RequestError {
  return new RequestError(
    400,
    "No file can have that name here: it is longer than 255 bytes, or the disk does not take it.",
  );
}

/**
 * Translates an error of writing a file.
 * @returns A RequestError 507, 403 or 400 if the error has such a meaning for clients; otherwise the error itself.
 */
export function refusalOf(error: unknown): unknown {
  if (isFull(error)) return noRoom();
  if (isReadOnly(error)) return new RequestError(403, "deskhand may write no files into this folder.");
  return isUnnamable(error) ? unnamable() : error;
}

/** A file is larger than allowed. */
export function tooLarge(limit: number): RequestError {
  return new RequestError(413, `The file is larger than the ${limit} bytes allowed (--upload-limit).`);
}

/**
 * Writes a body at an offset of a file, which then ends after the body.
 * @param start The offset, in bytes.
 * @param limit The most bytes that the file may have.
 * @returns Bytes of the file.
 * @throws RequestError 413 if the body is too long, 507 if the disk is full, 403 if the folder may not be written to,
 * 499 if the client left; the errors of {@linkcode openPartial}, and Deno's error if the file cannot be written for
 * another reason.
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
    throw refusalOf(error);
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
