/** Contents of small files, kept in memory while the files stay as they are. */

/** The largest file that is kept, in bytes. */
export const KEPT_FILE_LIMIT = 256 * 1024;
/** What all of them may take together, in bytes. */
export const KEPT_TOTAL = 64 * 1024 * 1024;
/** What an entry counts for beside its content. */
const OVERHEAD = 1024;

/** A file as it was read. */
export interface Kept {
  info: Deno.FileInfo;
  content: Uint8Array<ArrayBuffer>;
}

/** Least recently used entries go first when the bound is reached. */
export class ContentCache<T extends Kept> {
  readonly #entries = new Map<string, T>();
  #bytes = 0;

  constructor(readonly limit = KEPT_TOTAL) {}

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Finds a file.
   * @param path Its path, links not followed.
   * @param stat Looks at it as it is now; null if it is gone.
   * @returns What was kept, if the file is still the same: same file, size, times.
   */
  get(path: string, stat: (path: string) => Deno.FileInfo | null): T | undefined {
    const entry = this.#entries.get(path);
    if (!entry) return undefined;
    const now = stat(path);
    this.#entries.delete(path);
    if (!now || !isUnchanged(entry.info, now)) {
      this.#bytes -= entry.content.length + OVERHEAD;
      return undefined;
    }
    this.#entries.set(path, entry); // the most recent is the last
    return entry;
  }

  /** Keeps a file, if it is small enough. */
  set(path: string, entry: T): void {
    const size = entry.content.length + OVERHEAD;
    if (entry.content.length > KEPT_FILE_LIMIT || size > this.limit) return;
    const old = this.#entries.get(path);
    if (old) this.#bytes -= old.content.length + OVERHEAD;
    this.#entries.delete(path);
    this.#entries.set(path, entry);
    this.#bytes += size;
    for (const [oldest, { content }] of this.#entries) {
      if (this.#bytes <= this.limit) break;
      this.#entries.delete(oldest);
      this.#bytes -= content.length + OVERHEAD;
    }
  }
}

/**
 * How long ago a file must have changed for its times to tell it from another version, in milliseconds: two writes
 * within one tick of a file system's clock leave the same time.
 */
const SETTLED_MS = 2000;

/** Whether a file's times are old enough that any later change would show in them. */
export function isSettled({ mtime }: Deno.FileInfo): boolean {
  return Date.now() - (mtime?.getTime() ?? 0) > SETTLED_MS;
}

/** Whether a file has not changed between two looks, as far as the system tells. */
export function isUnchanged(a: Deno.FileInfo, b: Deno.FileInfo): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.size === b.size &&
    a.mtime?.getTime() === b.mtime?.getTime() &&
    a.ctime?.getTime() === b.ctime?.getTime();
}
