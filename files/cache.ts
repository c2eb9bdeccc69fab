/**
 * Caches resolved files, the contents of small files, and finished responses in memory while the files do not
 * change.
 *
 * A request for a 4 KB file takes 13 us of CPU time with the cache, 22 without cached responses and 89
 * without cached contents (32 connections, Deno 2.9.6). docs/maintainers/benchmarks.md compares small files
 * with nginx.
 */

import { CoalescedRead } from "../core/coalesced_read.ts";

/** Largest file content and largest response body that is cached, in bytes. */
export const CACHED_CONTENT_LIMIT = 256 * 1024;
/** Maximum total size of cached files and responses, in bytes. */
const CACHE_LIMIT = 64 * 1024 * 1024;
/** Bytes counted for a file in addition to its content, and for a response in addition to its body. */
const OVERHEAD = 1024;
/** Maximum number of responses cached per file: the whole and some ranges. */
const RESPONSES_LIMIT = 16;

export interface Cacheable {
  /** The content; undefined for a large file. */
  content?: Uint8Array<ArrayBuffer>;
  /** Bytes cached in addition to the content; see {@linkcode FileCache.grow}. */
  more?: number;
}

/** A response, and the length of its content in bytes. */
interface CachedResponse {
  response: Response;
  length: number;
}

interface Entry<T> {
  file: T;
  /** The file, while its path leads to the same version. */
  current: CoalescedRead<T | undefined>;
  /** Responses by key; undefined for a response that was requested only once. */
  responses: Map<string, CachedResponse | undefined>;
  bytes: number;
}

/** A cache of files. When the limit is reached, the least recently used files are evicted first. */
export class FileCache<T extends Cacheable> {
  readonly #entries = new Map<string, Entry<T>>();
  #bytes = 0;

  /**
   * @param isCurrent Whether a file has not changed since it was cached.
   * @param limit Maximum number of cached bytes.
   */
  constructor(readonly isCurrent: (file: T) => Promise<boolean> | boolean, readonly limit = CACHE_LIMIT) {}

  /** Number of cached bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Finds a file, and evicts it if it is no longer current.
   * @param key The file's key in the cache.
   * @returns undefined if the file is not cached; a promise of undefined if it was evicted.
   */
  get(key: string): Promise<T | undefined> | undefined {
    return this.#entries.get(key)?.current.get();
  }

  /** Caches a file if there is room for it. */
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
   * Finds a response. Copying a response takes 0.4 us, making one 15 us (Deno 2.9.6).
   * @param key The key of a cached file.
   * @param file The result of {@linkcode get} for the key.
   * @param which The response's key among the file's responses.
   * @returns A copy for one client, and the length of its content in bytes.
   */
  response(key: string, file: T, which: string): CachedResponse | undefined {
    const entry = this.#entries.get(key);
    const cached = entry?.file === file ? entry.responses.get(which) : undefined;
    return cached && { response: cached.response.clone(), length: cached.length };
  }

  /**
   * Caches a response from its second request on, if its body is small: small bodies are bytes rather than
   * streams.
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
    if (entry.responses.get(which)) return; // meanwhile another request has stored the response
    const length = Number(response.headers.get("content-length") ?? NaN);
    if (!response.ok || !(length <= CACHED_CONTENT_LIMIT)) return;
    entry.responses.set(which, { response: response.clone(), length });
    this.#weigh(entry, entry.bytes + length + OVERHEAD);
    this.#trim();
  }

  /** Counts bytes cached along with a file, such as its compressed content. */
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
      if (isCurrent) this.#add(key, entry); // the most recently used entry is the last
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
