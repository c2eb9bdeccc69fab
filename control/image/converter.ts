/** Converts pictures of the clipboard on a thread of its own, within bounds of memory and time. */

import type { Bytes } from "../../core/bytes.ts";
import { CallWorker } from "../../core/worker.ts";

/** A message to the Worker: a file to convert. */
export interface ConverterCall {
  file: Bytes;
  /** The format of the wanted file. */
  to: "png" | "bmp";
}

/** The time that the thread stays without work, and that a picture may take, in milliseconds. */
const IDLE_MS = 10_000, LIMIT_MS = 15_000;

const worker = new CallWorker<ConverterCall, Bytes>({
  url: { url: new URL("./workers.ts", import.meta.url), role: "clipboard" },
  idleMs: IDLE_MS,
  limitMs: LIMIT_MS,
});

/**
 * Converts a picture.
 * @param call A BMP file to a PNG file, or a PNG file to a BMP file; the file is cloned.
 * @throws InputError if a PNG file cannot be read; StateError if a BMP file cannot; BusyError if it takes too long.
 */
export function convert(call: ConverterCall): Promise<Bytes> {
  return worker.call(call);
}
