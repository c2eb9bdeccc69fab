/** Clipboard reads, which wait for the program that owns the content. */

import { abortable } from "@std/async/abortable";
import type { ClipboardContent, ClipboardKind } from "../control/desktop/desktop.ts";
import { Mutex } from "../core/mutex.ts";

/** Reads the clipboard for one caller at a time. */
export class ClipboardReadings {
  readonly #turns = new Mutex(100, "too many are reading the clipboard; try again later");

  /**
   * Reads the clipboard when this caller's turn comes.
   * @param signal Aborts the wait for the turn; a read that has begun runs to its end.
   * @throws BusyError if too many callers wait; the signal's reason; the errors of `read`.
   */
  run<T>(read: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const reading = this.#turns.run(() => {
      signal?.throwIfAborted();
      return read();
    });
    return signal ? abortable(reading, signal) : reading;
  }
}

/**
 * Converts the bytes read into content.
 * @param isLatin1 Whether text is in Latin-1, like X11's STRING type (ICCCM section 2.7.1), rather than in
 * UTF-8.
 */
export function contentOf(
  kind: ClipboardKind,
  bytes: Uint8Array<ArrayBuffer>,
  isLatin1: boolean,
): ClipboardContent {
  if (kind === "png") return { png: bytes };
  return { text: new TextDecoder(isLatin1 ? "latin1" : "utf-8", { ignoreBOM: true }).decode(bytes) };
}
