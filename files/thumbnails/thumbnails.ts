/** Small pictures for the gallery: each is made once, kept in memory and on disk, both bounded. */

import type { Resolved, Root } from "../resolve.ts";
import { readAtOnce } from "../read.ts";
import { ThumbnailStore } from "./store.ts";

/** Makes small pictures. The file server gets a maker, since it knows no picture formats itself. */
export interface ThumbnailMaker {
  /** Tells whether a file may have a small picture, by its name. */
  takes(name: string): boolean;
  /**
   * Makes the small picture of a file.
   * @returns A JPEG or PNG file; undefined if the file has another format, is damaged, or is too large.
   */
  make(file: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** The largest file that is read for its small picture, in bytes. */
const FILE_LIMIT = 32 * 1024 * 1024;
/** The largest size of all small pictures in memory together, in bytes. */
const MEMORY_LIMIT = 16 * 1024 * 1024;
/** The number of waiting files at which further files are shown without a small picture. */
const WAITING_LIMIT = 64;

/** Small pictures of files below a root. */
export class Thumbnails {
  readonly #store: ThumbnailStore;
  /** Thumbnails by keys of files; undefined for a file that has none. */
  readonly #kept = new Map<string, Uint8Array<ArrayBuffer> | undefined>();
  readonly #making = new Map<string, Promise<Uint8Array<ArrayBuffer> | undefined>>();
  #bytes = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param findFolder Finds the folder, as {@linkcode ThumbnailStore} takes it. */
  constructor(readonly root: Root, readonly maker: ThumbnailMaker, findFolder: () => string | undefined) {
    this.#store = new ThumbnailStore(findFolder);
  }

  /**
   * Gets the small picture of a file.
   * @param name The file's name.
   * @returns undefined if the file itself is to be shown.
   * @throws The errors of `root.open`.
   */
  async of(file: Resolved, name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (!this.maker.takes(name) || file.info.size > FILE_LIMIT) return undefined;
    const key = await keyOf(file.info);
    if (this.#kept.has(key)) return this.#kept.get(key);
    const making = this.#making.get(key);
    if (making) return await making;
    if (this.#making.size >= WAITING_LIMIT) return undefined;
    const made = this.#found(key, file);
    this.#making.set(key, made);
    try {
      return await made;
    } finally {
      this.#making.delete(key);
    }
  }

  async #found(key: string, file: Resolved): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const stored = await this.#store.get(key);
    if (stored) return this.#keep(key, stored);
    // One file is in memory at a time.
    const made = this.#turn.catch(() => {}).then(async () => {
      const open = await this.root.open(file), { size } = open.info;
      return await this.maker.make(readAtOnce(open, size ? [{ start: 0, end: size - 1 }] : [], true));
    });
    this.#turn = made;
    const small = await made;
    if (small) await this.#store.put(key, small);
    return this.#keep(key, small);
  }

  #keep(key: string, small: Uint8Array<ArrayBuffer> | undefined): Uint8Array<ArrayBuffer> | undefined {
    this.#kept.set(key, small);
    this.#bytes += weightOf(small);
    for (const [oldest, other] of this.#kept) {
      if (this.#bytes <= MEMORY_LIMIT) break;
      this.#kept.delete(oldest);
      this.#bytes -= weightOf(other);
    }
    return small;
  }
}

function weightOf(small: Uint8Array | undefined): number {
  return (small?.length ?? 0) + 200;
}

/** The key of a file's version, different from all other files and versions. */
async function keyOf({ dev, ino, size, mtime }: Deno.FileInfo): Promise<string> {
  const text = `1 ${dev} ${ino} ${size} ${mtime?.getTime()}`;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return new Uint8Array(digest).toHex();
}
