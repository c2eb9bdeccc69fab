/** Readings of a clipboard, which wait for the program that has the content. */

import { abortable } from "@std/async/abortable";
import { Mutex } from "../core/mutex.ts";

/** Reads one after the other. */
export class ClipboardReadings {
  readonly #turns = new Mutex(100, "too many are reading the clipboard; try again later");

  /**
   * Reads when it is its turn.
   * @param signal Ends the waiting alone: what was begun goes on to its end.
   * @throws BusyError if too many wait; the signal's reason; what `read` throws.
   */
  run<T>(read: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const reading = this.#turns.run(() => {
      signal?.throwIfAborted();
      return read();
    });
    return signal ? abortable(reading, signal) : reading;
  }
}
