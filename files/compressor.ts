/** Compressed file contents, each made once, and the rule for which files are compressed. */

import { CallWorker } from "../core/worker.ts";
import { type Coding, CODINGS, preferredCoding } from "../http/stream.ts";

/** Content to compress. Can be sent to another thread. */
export interface CompressCall {
  content: Uint8Array<ArrayBuffer>;
  coding: Coding;
}

/** Text types that are not compressed yet. */
const TEXT =
  /^(?:text\/|(?:application|image)\/(?:[^;]+\+)?(?:json|xml|javascript|x-ndjson|yaml|toml|sql)\b)/;
/** Minimum size of a compressed file, in bytes: a smaller one takes one packet either way. */
const SHORTEST = 1400;
/** Maximum size of a compressed file, in bytes: the length of a response must be known before it is sent. */
const LONGEST = 4 * 1024 * 1024;
/** Maximum number of queued files; above it, further files are sent uncompressed. */
const WAITING_LIMIT = 16;
/** How long the thread stays alive without work, in milliseconds. */
const IDLE_MS = 10_000;

/**
 * Whether a file is sent compressed to clients that accept it.
 * @example
 * isCompressible({ type: "text/css", size: 10_000 }); // true
 */
export function isCompressible({ type, size }: { type: string; size: number }): boolean {
  return size >= SHORTEST && size <= LONGEST && TEXT.test(type);
}

/**
 * The coding of a compressible file for a client.
 * @returns undefined for no coding. A range is always a range of the uncompressed file.
 * @example
 * codingFor(new Headers({ "accept-encoding": "gzip" })); // "gzip"
 */
export function codingFor(headers: Headers): Coding | undefined {
  return headers.has("range") ? undefined : preferredCoding(headers, CODINGS);
}

/** Compresses each file once, on a separate thread. */
export class Compressor<File extends object> {
  readonly #worker = new CallWorker<CompressCall, Uint8Array<ArrayBuffer> | undefined>({
    url: { url: new URL("./workers.ts", import.meta.url), role: "compress" },
    idleMs: IDLE_MS,
  });
  /** Compressed contents of files, for as long as the caller holds the file's object. */
  readonly #made = new WeakMap<File, Map<Coding, Promise<Uint8Array<ArrayBuffer> | undefined>>>();
  #waiting = 0;

  /**
   * Compresses a file.
   * @param file An object that represents this version of the file.
   * @param read Reads the content.
   * @param keep Receives the compressed content, which is held as long as the file's object; called once.
   * @returns undefined if compression saves little; null if too many files are queued.
   * @throws The errors of `read`.
   */
  async compressed(
    file: File,
    coding: Coding,
    read: () => Promise<Uint8Array<ArrayBuffer>>,
    keep: (made: Uint8Array) => void,
  ): Promise<Uint8Array<ArrayBuffer> | undefined | null> {
    let made = this.#made.get(file);
    if (!made) this.#made.set(file, made = new Map());
    const known = made.get(coding);
    if (known) return await known;
    if (this.#waiting >= WAITING_LIMIT) return null;
    const making = this.#compress(coding, read);
    made.set(coding, making);
    try {
      const content = await making;
      if (content) keep(content);
      return content;
    } catch (error) {
      made.delete(coding); // the next request tries again
      throw error;
    }
  }

  async #compress(coding: Coding, read: () => Promise<Uint8Array<ArrayBuffer>>) {
    this.#waiting++;
    try {
      return await this.#worker.call({ content: await read(), coding });
    } finally {
      this.#waiting--;
    }
  }
}
