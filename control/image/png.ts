/** Frames as PNG files (W3C "Portable Network Graphics", third edition): 24-bit colour, filter Up, deflate. */

import { nodeModule } from "../../core/lazy_node.ts";
import type { Pixels } from "./bitmap.ts";

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** Filter type 2: each byte as the difference to the one above. Screens repeat their rows. */
const FILTER_UP = 2;
/** Higher levels take twice the time and more, for a tenth less. */
const LEVEL = 2;

/**
 * Makes a PNG file of a frame.
 * @param frame Read before the first `await`: it need not stay valid.
 * @returns The file. Compressing happens off this thread.
 */
export async function encodePng(frame: Pixels): Promise<Uint8Array<ArrayBuffer>> {
  const { width, height } = frame;
  const { promisify } = nodeModule("node:util"), { deflate } = nodeModule("node:zlib");
  const data = new Uint8Array(await promisify(deflate)(filtered(frame), { level: LEVEL }));
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 2, 0, 0, 0], 8); // bit depth 8, colour type 2 (RGB), deflate, adaptive filters, not interlaced
  const chunks = [chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", new Uint8Array())];
  return new Uint8Array(await new Blob([new Uint8Array(SIGNATURE), ...chunks]).arrayBuffer());
}

/** The rows as they are compressed: a filter type, then red, green, blue. */
function filtered(frame: Pixels): Uint8Array {
  const { width, height, stride, pixels } = frame;
  const rows = new Uint8Array(height * (1 + width * 3));
  for (let y = 0, at = 0; y < height; y++) {
    rows[at++] = y ? FILTER_UP : 0;
    for (
      let from = y * stride, end = from + width * 4, above = from - stride;
      from < end;
      from += 4, above += 4
    ) {
      if (y) {
        rows[at++] = pixels[from + 2] - pixels[above + 2];
        rows[at++] = pixels[from + 1] - pixels[above + 1];
        rows[at++] = pixels[from] - pixels[above];
      } else {
        rows[at++] = pixels[from + 2];
        rows[at++] = pixels[from + 1];
        rows[at++] = pixels[from];
      }
    }
  }
  return rows;
}

/** Length, type, data, and the checksum of type and data. */
function chunk(type: string, data: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, nodeModule("node:zlib").crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}
