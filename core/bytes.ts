/**
 * Bytes in memory, and deflate into memory that is freed at once: buffers that wait for garbage collection reach 64 MB
 * in a Worker.
 */

import { InputError, UsageError } from "./errors.ts";
import { nodeModule } from "./path.ts";

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

/** Functions of node:zlib. */
type Format = "deflateSync" | "deflateRawSync";

/** Node's buffers of less than this may share memory. */
const LEAST_OWN = 65_536;
/** Room beside the last output, as the next may be larger. */
const SPARE = 1.25;

/** Compresses contents one after the other, and uses the same buffer again for contents of similar size. */
export class Deflater {
  #room: number;

  /** @param room The first size of the output buffer in bytes, {@linkcode LEAST_OWN} or more. */
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
    // A Uint8Array, since slice() of a Buffer does not copy.
    const result = use(new Uint8Array(buffer, byteOffset, length));
    if (buffer instanceof ArrayBuffer && buffer.byteLength >= LEAST_OWN) buffer.transfer(0);
    return result;
  }
}

// Sizes as people write them.

/** Units of sizes; each is 1024 times the unit before. */
const UNITS = ["", "K", "M", "G", "T"];

/**
 * Reads a size.
 * @param text Such as `500M`, `1.5G`, `1048576`; `GB` and `GiB` are `G`.
 * @param option The option that it belongs to, for messages.
 * @returns Bytes.
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
