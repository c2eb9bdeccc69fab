/** Small pictures on disk, so that a later start need not make them again. */

import { join } from "../../core/path.ts";
import { replaceFileByPieces } from "../../core/replace_file.ts";

/** Most bytes of all thumbnails together, and bytes after the oldest were removed. */
const LIMIT = 64 * 1024 * 1024, AFTER = 48 * 1024 * 1024;

/** A folder of small pictures. If the folder cannot be used, nothing is stored. */
export class ThumbnailStore {
  #bytes: number | undefined;
  #folder: string | undefined | null = null;

  /**
   * @param find Finds the folder on first use; if it gives undefined, nothing is stored. The first picture to store
   * makes the folder.
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
      // A full disk, or a folder that may not be written to: the picture is made again another time.
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
