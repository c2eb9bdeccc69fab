/**
 * Found files, the contents of small files, and finished responses, kept in memory as long as the files do not
 * change.
 *
 * A request for a file of 4 KB took 13 us of processor time with the cache, 22 without responses and 89 without
 * contents (32 connections, Deno 2.9.6). docs/maintainers/benchmarks.md compares small files with nginx.
 */

import { CoalescedRead } from "../core/coalesced_read.ts";

/** The largest content of a file, and the largest body of a response, that is cached, in bytes. */
export const CACHED_CONTENT_LIMIT = 256 * 1024;
/** The limit of all files and responses together, in bytes. */
const CACHE_LIMIT = 64 * 1024 * 1024;
/** The bytes that a file counts in addition to its content, and a response in addition to its body. */
const OVERHEAD = 1024;
/** Responses cached of one file: the whole and some ranges. */
const RESPONSES_LIMIT = 16;

export interface Cacheable {
  /** The content; undefined for a large file. */
  content?: Uint8Array<ArrayBuffer>;
  /** Bytes kept in addition to the content; see {@linkcode FileCache.grow}. */
  more?: number;
}

/** A response, and the bytes of its content. */
interface CachedResponse {
  response: Response;
  length: number;
}

interface Entry<T> {
  file: T;
  /** The file, as long as its path leads to the same version. */
  current: CoalescedRead<T | undefined>;
  /** Responses by their key; undefined for a response that was made only once. */
  responses: Map<string, CachedResponse | undefined>;
  bytes: number;
}

/** The least recently used files are removed first when the limit is reached. */
export class FileCache<T extends Cacheable> {
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;

  /**
   * @param isCurrent Whether a file has not changed since it was cached.
   * @param limit The limit of cached bytes.
   */
  constructor(readonly isCurrent: (file: T) => Promise<boolean> | boolean, readonly limit = CACHE_LIMIT) {}

  /** Bytes that are cached. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Finds a file, and removes the file if it is no longer current.
   * @param key The key under which it was cached.
   * @returns undefined if the file is not cached; a promise of undefined if it was removed.
   */
  get(key: string): Promise<T | undefined> | undefined {
    return this.#entries.get(key)?.current.get();
  }

  /** Caches a file, if there is room for it. */
  set(key: string, file: T): void {
    const old = this.#entries.get(key);
    if (old) this.#remove(key, old);
    const bytes = weightOf(file);
    if (bytes > this.limit) return;
    const entry: Entry<T> = {
      file,
      current: new CoalescedRead(() => this.#check(key, entry)),
      responses: new Map(),
      bytes,
    };
    this.#add(key, entry);
    this.#trim();
  }

  /**
   * Finds a response. To copy a response costs 0.4 us, to make one costs 15 us (Deno 2.9.6).
   * @param key The key of a cached file.
   * @param file The result of {@linkcode get} for the key.
   * @param which The key of the response among the file's responses.
   * @returns A copy, for one client, and the bytes of its content.
   */
  response(key: string, file: T, which: string): CachedResponse | undefined {
    const entry = this.#entries.get(key);
    const cached = entry?.file === file ? entry.responses.get(which) : undefined;
    return cached && { response: cached.response.clone(), length: cached.length };
  }

  /**
   * Caches a response that is made for the second time, if its body is small, which means that it is bytes and no
   * stream.
   * @param file The result of {@linkcode get} for the key, or the file that {@linkcode set} received.
   */
  cacheResponse(key: string, file: T, which: string, response: Response): void {
    const entry = this.#entries.get(key);
    if (entry?.file !== file) return;
    if (!entry.responses.has(which)) {
      if (entry.responses.size === RESPONSES_LIMIT) {
        entry.responses.clear();
        this.#weigh(entry, weightOf(file));
      }
      entry.responses.set(which, undefined);
      return;
    }
    if (entry.responses.get(which)) return; // another request has stored the response by now
    const length = Number(response.headers.get("content-length") ?? NaN);
    if (!response.ok || !(length <= CACHED_CONTENT_LIMIT)) return;
    entry.responses.set(which, { response: response.clone(), length });
    this.#weigh(entry, entry.bytes + length + OVERHEAD);
    this.#trim();
  }

  /** Counts bytes that are kept with a file, such as its compressed content. */
  grow(key: string, file: T, bytes: number): void {
    file.more = (file.more ?? 0) + bytes;
    const entry = this.#entries.get(key);
    if (entry?.file !== file) return;
    this.#weigh(entry, entry.bytes + bytes);
    this.#trim();
  }

  async #check(key: string, entry: Entry<T>): Promise<T | undefined> {
    const isCurrent = await this.isCurrent(entry.file);
    if (this.#entries.get(key) === entry) {
      this.#remove(key, entry);
      if (isCurrent) this.#add(key, entry); // the most recently used is the last
    }
    return isCurrent ? entry.file : undefined;
  }

  #weigh(entry: Entry<T>, bytes: number): void {
    this.#bytes += bytes - entry.bytes;
    entry.bytes = bytes;
  }

  #add(key: string, entry: Entry<T>): void {
    this.#entries.set(key, entry);
    this.#bytes += entry.bytes;
  }

  #remove(key: string, entry: Entry<T>): void {
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  #trim(): void {
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.limit) break;
      this.#remove(oldest, entry);
    }
  }
}

function weightOf({ content, more = 0 }: Cacheable): number {
  return (content?.length ?? 0) + more + OVERHEAD;
}
