/**
 * Buffers for pictures, used again: a new array of a screen's size costs ten times what filling it does.
 */

/** Free buffers kept at most; more are left to the garbage collector. */
const KEPT = 4;

/** Buffers of one size at a time. */
export class BufferPool {
  #free: Uint8Array<ArrayBuffer>[] = [];
  #size = 0;

  /**
   * Takes a buffer; its content is left from an earlier use.
   * @param size Its length in bytes.
   * @param make Makes one of that size if none is free.
   */
  take(size: number, make: () => Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    if (size !== this.#size) {
      this.#free = [];
      this.#size = size;
    }
    return this.#free.pop() ?? make();
  }

  /** Gives a buffer back; nobody reads it any more. */
  give(buffer: Uint8Array<ArrayBuffer>): void {
    if (buffer.length === this.#size && this.#free.length < KEPT) this.#free.push(buffer);
  }
}
