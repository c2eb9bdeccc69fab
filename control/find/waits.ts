/** Limits the waits for pictures, since each picture is kept in memory until it appears. */

import { BusyError } from "../../core/errors.ts";

/** The most simultaneous waits for pictures. */
const COUNT_LIMIT = 32;
/** The number of bytes of the pixels of all awaited pictures. */
const BYTES_LIMIT = 128 * 1024 * 1024;

/** A wait for a picture. */
export interface PictureWait extends Disposable {
  /** A signal that is aborted with a BusyError when the wait ends in favour of later waits. */
  signal: AbortSignal;
}

/**
 * The pictures that callers wait for. If there are too many, the oldest wait ends: its client has probably left, which
 * an HTTP server does not always notice.
 */
export class PictureWaits {
  readonly #waits = new Set<{ bytes: number; end: AbortController }>();
  #bytes = 0;

  constructor(readonly countLimit = COUNT_LIMIT, readonly bytesLimit = BYTES_LIMIT) {}

  /**
   * Begins a wait. A single wait is allowed for a picture of any size.
   * @param bytes The number of bytes of the picture's pixels.
   * @returns The wait; disposing of it ends it.
   */
  enter(bytes: number): PictureWait {
    const wait = { bytes, end: new AbortController() };
    while (
      this.#waits.size && (this.#waits.size >= this.countLimit || this.#bytes + bytes > this.bytesLimit)
    ) {
      const [oldest] = this.#waits;
      this.#leave(oldest);
      oldest.end.abort(new BusyError("other pictures are waited for, so many that this wait had to end"));
    }
    this.#waits.add(wait);
    this.#bytes += bytes;
    return { signal: wait.end.signal, [Symbol.dispose]: () => this.#leave(wait) };
  }

  #leave(wait: { bytes: number; end: AbortController }): void {
    if (this.#waits.delete(wait)) this.#bytes -= wait.bytes;
  }
}
