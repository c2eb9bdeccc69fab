/** Thumbnails for the gallery: each is made once and stored in memory and on disk, within limits. */

import { sha256 } from "../../core/bytes.ts";
import { join } from "../../core/path.ts";
import { replaceFileByPieces } from "../../core/state_files.ts";
import { ownAnswer } from "../pages.ts";
import { readAtOnce } from "../read.ts";
import type { Resolved, Root } from "../resolve.ts";

// Thumbnails on disk, so that they survive a restart.

/**
 * Maximum total size of stored thumbnails, in bytes, and the size to which removing the oldest reduces it.
 */
const LIMIT = 64 * 1024 * 1024, AFTER = 48 * 1024 * 1024;

/** A folder of thumbnails. If the folder is unusable, nothing is stored. */
export class ThumbnailStore {
  #bytes: number | undefined;
  #folder: string | undefined | null = null;

  /**
   * @param find Finds the folder on first use; if it returns undefined, nothing is stored. The first stored
   * thumbnail creates the folder.
   */
  constructor(readonly find: () => string | undefined, readonly limit = LIMIT, readonly after = AFTER) {}

  get folder(): string | undefined {
    return this.#folder === null ? this.#folder = this.find() : this.#folder;
  }

  /** Reads a thumbnail. */
  async get(key: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    if (this.folder === undefined) return undefined;
    return await Deno.readFile(join(this.folder, key)).catch(() => undefined);
  }

  /** Stores a thumbnail, and removes the oldest if there are too many. Never throws. */
  async put(key: string, small: Uint8Array): Promise<void> {
    if (this.folder === undefined) return;
    try {
      await Deno.mkdir(this.folder, { recursive: true, mode: 0o700 });
      await replaceFileByPieces(join(this.folder, key), [small], 0o600);
      this.#bytes = (this.#bytes ?? sum(await this.#list())) + small.length;
      if (this.#bytes > this.limit) await this.#removeOldest();
    } catch {
      // The disk is full, or the folder not writable: the thumbnail will be made again.
    }
  }

  async #list(): Promise<{ path: string; size: number; time: number }[]> {
    const files = [];
    for await (const { name } of Deno.readDir(this.folder!)) {
      const path = join(this.folder!, name), info = await Deno.lstat(path).catch(() => undefined);
      if (info?.isFile) files.push({ path, size: info.size, time: info.mtime?.getTime() ?? 0 });
    }
    return files;
  }

  async #removeOldest(): Promise<void> {
    const files = (await this.#list()).sort((a, b) => a.time - b.time);
    let bytes = sum(files);
    for (const { path, size } of files) {
      if (bytes <= this.after) break;
      await Deno.remove(path).catch(() => {});
      bytes -= size;
    }
    this.#bytes = bytes;
  }
}

function sum(files: { size: number }[]): number {
  return files.reduce((bytes, { size }) => bytes + size, 0);
}

/** Makes thumbnails. The file server receives a maker, because it knows no picture formats itself. */
export interface ThumbnailMaker {
  /** Whether a file of this name may have a thumbnail. */
  takes(name: string): boolean;
  /**
   * Makes a file's thumbnail.
   * @returns A JPEG or PNG file; undefined if the file has another format, is damaged, or is too large.
   */
  make(file: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer> | undefined>;
}

/** Maximum size of a file to read for a thumbnail, in bytes. */
const FILE_LIMIT = 32 * 1024 * 1024;
/** Maximum total size of thumbnails in memory, in bytes. */
const MEMORY_LIMIT = 16 * 1024 * 1024;
/** Maximum number of queued files; beyond it, further files are shown without a thumbnail. */
const WAITING_LIMIT = 64;

/** Thumbnails of files below a root. */
export class Thumbnails {
  readonly #store: ThumbnailStore;
  /** Thumbnails by file key; undefined for a file that has none. */
  readonly #kept = new Map<string, Uint8Array<ArrayBuffer> | undefined>();
  readonly #making = new Map<string, Promise<Uint8Array<ArrayBuffer> | undefined>>();
  #bytes = 0;
  #turn: Promise<unknown> = Promise.resolve();

  /** @param findFolder Finds the folder, as for {@linkcode ThumbnailStore}. */
  constructor(readonly root: Root, readonly maker: ThumbnailMaker, findFolder: () => string | undefined) {
    this.#store = new ThumbnailStore(findFolder);
  }

  /**
   * Returns a file's thumbnail.
   * @param name The file's name.
   * @returns undefined if the file itself is shown.
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
    // Only one file is in memory at a time.
    const made = this.#turn.catch(() => {}).then(async () => {
      const open = await this.root.open(file), { size } = open.info;
      const whole = size ? [{ start: 0, end: size - 1 }] : [];
      const content = await readAtOnce(open, whole, true, (call) => this.root.reach(file.real, call));
      return await this.maker.make(content);
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

/** The key of a file version, unique among all files and versions. */
async function keyOf({ dev, ino, size, mtime }: Deno.FileInfo): Promise<string> {
  return (await sha256(`1 ${dev} ${ino} ${size} ${mtime?.getTime()}`)).toHex();
}

// Thumbnail responses.

/**
 * Creates the response.
 * @param small A JPEG or PNG file.
 * @param isVersion Whether the URL names the file's version, so that a browser need not revalidate.
 */
export function thumbnailAnswer(
  small: Uint8Array<ArrayBuffer>,
  name: string,
  isVersion: boolean,
): Response {
  const kind = small[0] === 0xff ? "jpeg" : "png";
  const answer = ownAnswer(small, { name: `${name}.${kind}`, type: `image/${kind}` });
  if (isVersion) answer.headers.set("cache-control", "private, max-age=86400, immutable");
  return answer;
}
