/**
 * Bytes in memory, and deflate into memory that is freed immediately: buffers waiting for garbage collection
 * reach 64 MB in a Worker.
 */

import { InputError, UsageError } from "./errors.ts";
import { nodeModule } from "./path.ts";

/** Bytes in memory owned by this thread. */
export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Concatenates bytes.
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

/** The SHA-256 digest of bytes, or of a text in UTF-8. */
export async function sha256(content: string | Bytes): Promise<Bytes> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** Writes all bytes at a file's present position: one call may write a part. @throws The errors of Deno. */
export function writeAll(file: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}

// Reads files of limited size: secrets, settings, pictures.

/**
 * Reads a regular file, or the regular file that a link leads to. Does not open other kinds of files, because
 * reading a pipe would block.
 * @param limit Maximum size, in bytes.
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

/** Reads a file as {@linkcode readSmallBytes} does, on other threads, and without opening one that is too large. */
export async function readSmall(path: string, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const { isFile, size } = await Deno.stat(path);
  if (!isFile) throw new InputError("it is not a regular file");
  if (size > limit) throw new InputError(`it is larger than ${limit} bytes`);
  return await Deno.readFile(path);
}

/** Reads a file as {@linkcode readSmallBytes} does, and decodes it as UTF-8. */
export function readSmallFile(path: string, limit: number): string {
  return new TextDecoder().decode(readSmallBytes(path, limit));
}

/** Functions of node:zlib. */
type Format = "deflateSync" | "deflateRawSync";

/** Node's buffers smaller than this may share memory. */
const LEAST_OWN = 65_536;
/** Headroom relative to the last output, because the next may be larger. */
const SPARE = 1.25;

/** Compresses contents one after the other, and reuses the output buffer for contents of similar size. */
export class Deflater {
  #room: number;

  /** @param room Initial size of the output buffer in bytes, at least {@linkcode LEAST_OWN}. */
  constructor(readonly format: Format, readonly room: number) {
    this.#room = room;
  }

  /**
   * Compresses bytes.
   * @param use Receives the output, which is valid while `use` runs.
   * @returns The result of `use`.
   */
  run<T>(bytes: Uint8Array, level: number, use: (packed: Uint8Array) => T): T {
    const packed = nodeModule("node:zlib")[this.format](bytes, { level, chunkSize: this.#room });
    this.#room = Math.max(this.room, Math.ceil(packed.length * SPARE));
    const { buffer, byteOffset, length } = packed;
    // A Uint8Array, because a Buffer's slice() does not copy.
    const result = use(new Uint8Array(buffer, byteOffset, length));
    if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_OWN) buffer.transfer(0);
    return result;
  }
}

// Sizes as people write them.

/** Size units; each is 1024 times the previous one. */
const UNITS = ["", "K", "M", "G", "T"];

/**
 * Parses a size.
 * @param text Such as `500M`, `1.5G`, `1048576`; `GB` and `GiB` mean `G`.
 * @param option The option that it belongs to, for messages.
 * @returns The size in bytes.
 * @throws UsageError for any other text.
 */
export function parseSize(text: string, option: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?$/i.exec(text.trim()) ?? [];
  if (number === undefined) {
    throw new UsageError(
      `${option} ${text}: a size must be a number of bytes, optionally followed by K, M, G or T`,
    );
  }
  return Math.floor(Number(number) * 1024 ** UNITS.indexOf(unit.toUpperCase()));
}
