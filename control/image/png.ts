/** Frames as PNG files (W3C "Portable Network Graphics", third edition): 24-bit colour, filter Up, deflate. */

import { concat } from "../../core/bytes.ts";
import { nodeModule } from "../../core/lazy_node.ts";
import type { Pixels } from "./bitmap.ts";
import { PNG_SIGNATURE } from "./signatures.ts";

/** Filter type 2: each byte as the difference to the one above. Screens repeat their rows. */
const FILTER_UP = 2;
/** Higher levels take twice the time and more, for a tenth less. */
const LEVEL = 2;

/** Output of deflate is collected in pieces of this size. */
const CHUNK = 256 * 1024;

/** Makes a PNG file of a frame, in 30 ms for a screen of 1920x1080: a Worker calls it (picture_maker.ts). */
export function encodePng(frame: Pixels): Uint8Array<ArrayBuffer> {
  const { width, height } = frame;
  const { deflateSync } = nodeModule("node:zlib");
  const data = new Uint8Array(deflateSync(filtered(frame), { level: LEVEL, chunkSize: CHUNK }));
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, 2, 0, 0, 0], 8); // bit depth 8, colour type 2 (RGB), deflate, adaptive filters, not interlaced
  return concat(
    Uint8Array.from(PNG_SIGNATURE),
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", new Uint8Array()),
  );
}

/** Memory for filtered rows, used again: to fill new memory takes as long as to filter. */
let filteredRows = new Uint8Array();

/** The rows as they are compressed: a filter type, then red, green, blue. Valid until the next call. */
function filtered({ width, height, stride, pixels }: Pixels): Uint8Array<ArrayBuffer> {
  const size = height * (1 + width * 3);
  if (filteredRows.length < size) filteredRows = new Uint8Array(size);
  const rows = filteredRows.subarray(0, size);
  const bytes = nodeModule("node:buffer").Buffer.from(pixels.buffer, pixels.byteOffset, pixels.length);
  for (let y = 0, at = 0; y < height; y++) {
    const start = y * stride, end = start + width * 4;
    rows[at++] = y ? FILTER_UP : 0;
    if (y && bytes.compare(bytes, start - stride, end - stride, start, end) === 0) { // most rows of most screens
      rows.fill(0, at, at += width * 3);
      continue;
    }
    for (let from = start, above = y ? start - stride : -1; from < end; from += 4, at += 3) {
      rows[at] = pixels[from + 2];
      rows[at + 1] = pixels[from + 1];
      rows[at + 2] = pixels[from];
      if (above < 0) continue;
      rows[at] -= pixels[above + 2];
      rows[at + 1] -= pixels[above + 1];
      rows[at + 2] -= pixels[above];
      above += 4;
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
