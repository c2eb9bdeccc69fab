/** Converts clipboard pictures on a separate thread, within memory and time limits. */

import type { Bytes } from "../../core/bytes.ts";
import { CallWorker } from "../../core/worker.ts";

/** A message to the Worker: a file to convert. */
export interface ConverterCall {
  file: Bytes;
  /** The target format. */
  to: "png" | "bmp";
}

/** How long the thread stays without work, and the maximum time for a picture, in milliseconds. */
const IDLE_MS = 10_000, LIMIT_MS = 15_000;

const worker = new CallWorker<ConverterCall, Bytes>({
  url: { url: new URL("./workers.ts", import.meta.url), role: "clipboard" },
  idleMs: IDLE_MS,
  limitMs: LIMIT_MS,
});

/**
 * Converts a picture.
 * @param call A BMP file to convert to PNG, or a PNG file to convert to BMP; the file is cloned.
 * @throws InputError if a PNG file cannot be read; StateError if a BMP file cannot be read; BusyError if it
 * takes too long.
 */
export function convert(call: ConverterCall): Promise<Bytes> {
  return worker.call(call);
}
