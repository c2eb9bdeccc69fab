/** Lines for a reader that may be slow, or may not read at all, and must not block the program. */

import { concat } from "../core/bytes.ts";

/** The number of bytes that may wait to be written; further lines are left out. */
const WAITING_LIMIT = 1024 * 1024;
/** Bytes written at once: a Linux pipe takes up to this many undivided (pipe(7), PIPE_BUF), so that lines stay whole. */
const BATCH = 4096;

const encoder = new TextEncoder();

/** Writes lines in batches, in their order, one write at a time. */
export class LineQueue {
  #lines: Uint8Array[] = [];
  #bytes = 0;
  #leftOut = 0;
  #writing: Promise<void> | undefined;

  /**
   * @param write Writes some of the bytes without blocking this thread, and returns how many.
   * @param limit Bytes that may wait.
   */
  constructor(readonly write: (bytes: Uint8Array) => Promise<number>, readonly limit = WAITING_LIMIT) {}

  /** Adds a line, or leaves it out if too many bytes wait. Another line then says how many lines were left out. */
  add(line: string): void {
    if (this.#bytes >= this.limit) {
      this.#leftOut++;
      return;
    }
    this.#noteLeftOut();
    this.#put(line);
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when no line waits. */
  async flushed(): Promise<void> {
    await this.#writing;
  }

  async #writeAll(): Promise<void> {
    await undefined; // lines that are added in the same turn go into the same batch
    try {
      while (this.#lines.length) {
        const bytes = this.#nextBatch();
        for (let at = 0; at < bytes.length;) at += await this.write(bytes.subarray(at));
        if (!this.#lines.length) this.#noteLeftOut();
      }
    } catch {
      // A full disk or a closed pipe must not end the service.
      this.#lines = [];
      this.#bytes = 0;
    }
    this.#writing = undefined;
  }

  #nextBatch(): Uint8Array {
    let count = 1, length = this.#lines[0].length;
    while (count < this.#lines.length && length + this.#lines[count].length <= BATCH) {
      length += this.#lines[count++].length;
    }
    this.#bytes -= length;
    return concat(...this.#lines.splice(0, count));
  }

  #noteLeftOut(): void {
    if (!this.#leftOut) return;
    this.#put(`${new Date().toISOString()} log left out ${this.#leftOut} lines that were not read in time`);
    this.#leftOut = 0;
  }

  #put(line: string): void {
    const bytes = encoder.encode(line + "\n");
    this.#lines.push(bytes);
    this.#bytes += bytes.length;
  }
}
