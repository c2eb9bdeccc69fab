/**
 * Frames as BMP files: BITMAPFILEHEADER and BITMAPINFOHEADER (Microsoft, "Bitmap Storage"), 32 bits a pixel without
 * compression, positive height, which means rows from the bottom up.
 *
 * The fourth byte of a pixel is undefined, as screens leave it. The masks of BI_BITFIELDS say that this byte is no
 * alpha; with BI_RGB some readers take it for alpha. Overwriting the byte takes four times as long as copying rows
 * (4.6 ms against 1.1 ms for 1920x1080).
 */

import type { Pixels } from "./bitmap.ts";

/** Size of both headers and the three masks, in bytes. */
const HEADER_SIZE = 14 + 40 + 12;
/** biCompression: colours are where the masks say. */
const BI_BITFIELDS = 3;
/** The resolution of the picture: 96 dots an inch, in pixels a metre. */
const RESOLUTION = 3780;
/**
 * The approximate size of a piece in bytes. Small pieces stay in the processor's cache between the turning of their
 * rows and the sending: pieces of 1 MB take a quarter more time.
 */
const PIECE_SIZE = 256 * 1024;

/**
 * Bytes of the BMP file of a picture of this size in pixels.
 * @example
 * bmpSize(1920, 1080); // 8_294_466
 */
export function bmpSize(width: number, height: number): number {
  return HEADER_SIZE + width * height * 4;
}

/**
 * Writes a BMP file, piece by piece.
 * @param parts The parts of a picture of this size, from the bottom up; each part is valid until the next is requested.
 * @returns {@linkcode bmpSize} bytes together, each piece in memory of its own.
 */
export function* bmpPieces(
  width: number,
  height: number,
  parts: Iterable<Pixels>,
): Generator<Uint8Array<ArrayBuffer>, void> {
  const rowBytes = width * 4;
  const rowsAtOnce = Math.max(1, Math.floor(PIECE_SIZE / rowBytes));
  let headerSize = HEADER_SIZE;
  for (const { height: rows, stride, pixels } of parts) {
    for (let bottom = rows; bottom > 0; bottom -= rowsAtOnce) {
      const top = Math.max(0, bottom - rowsAtOnce);
      const piece = new Uint8Array(headerSize + (bottom - top) * rowBytes);
      if (headerSize) writeHeader(piece, width, height);
      for (let row = bottom - 1, at = headerSize; row >= top; row--, at += rowBytes) {
        piece.set(pixels.subarray(row * stride, row * stride + rowBytes), at);
      }
      headerSize = 0;
      yield piece;
    }
  }
}

/** Makes a BMP file in one piece. */
export function encodeBmp({ width, height, stride, pixels }: Pixels): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bmpSize(width, height));
  let at = 0;
  for (const piece of bmpPieces(width, height, [{ width, height, stride, pixels }])) {
    file.set(piece, at);
    at += piece.length;
  }
  return file;
}

function writeHeader({ buffer }: Uint8Array<ArrayBuffer>, width: number, height: number): void {
  const view = new DataView(buffer);
  view.setUint16(0, 0x4d42, true); // bfType: "BM"
  view.setUint32(2, bmpSize(width, height), true); // bfSize
  view.setUint32(10, HEADER_SIZE, true); // bfOffBits
  view.setUint32(14, 40, true); // biSize
  view.setInt32(18, width, true); // biWidth
  view.setInt32(22, height, true); // biHeight: positive, from the bottom up
  view.setUint16(26, 1, true); // biPlanes
  view.setUint16(28, 32, true); // biBitCount
  view.setUint32(30, BI_BITFIELDS, true); // biCompression
  view.setUint32(34, width * height * 4, true); // biSizeImage
  view.setInt32(38, RESOLUTION, true); // biXPelsPerMeter
  view.setInt32(42, RESOLUTION, true); // biYPelsPerMeter
  view.setUint32(54, 0xff0000, true); // red
  view.setUint32(58, 0xff00, true); // green
  view.setUint32(62, 0xff, true); // blue
}
