/** Bytes in memory. */

import { InputError } from "./errors.ts";

/** Bytes in memory of this thread's own. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Joins bytes.
 * @returns New memory with a copy of each part, in order.
 * @example
 * concat(Uint8Array.of(1, 2), Uint8Array.of(3)); // new Uint8Array([1, 2, 3])
 */
export function concat(...parts: readonly Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

// Reads files of bounded size: secrets, settings, pictures.

/**
 * Reads a regular file, or the target of a link to one. Opens no other kind of file, since a pipe would keep its
 * reader waiting.
 * @param limit Its largest size in bytes.
 * @throws InputError if the file is not regular or too large; Deno's error if it cannot be read.
 */
export function readSmallBytes(path: string, limit: number): Uint8Array<ArrayBuffer> {
  if (!Deno.statSync(path).isFile) throw new InputError("it is not a regular file");
  using file = Deno.openSync(path);
  const bytes = new Uint8Array(limit + 1);
  let length = 0;
  for (let read: number | null; (read = file.readSync(bytes.subarray(length)));) length += read;
  if (length > limit) throw new InputError(`it is larger than ${limit} bytes`);
  return bytes.slice(0, length);
}

/** Reads a file as {@linkcode readSmallBytes} does, and decodes it as UTF-8. */
export function readSmallFile(path: string, limit: number): string {
  return new TextDecoder().decode(readSmallBytes(path, limit));
}
