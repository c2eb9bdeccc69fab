/**
 * Frames as BMP files: BITMAPFILEHEADER and BITMAPINFOHEADER (Microsoft, "Bitmap Storage"), 32 bits a pixel
 * without compression, positive height, which means rows from the bottom up: the form that every reader opens.
 */

import type { Frame } from "../desktop.ts";

/** Size of both headers together, in bytes. */
const HEADER_SIZE = 14 + 40;
/** 96 dots an inch, in pixels a metre. */
const RESOLUTION = 3780;
/** The fourth byte of each pixel. Some readers take it for alpha, and screens leave anything in it. */
const OPAQUE = 0xff000000;

/** Bytes of the BMP file of a picture of this size. */
export function bmpSize(width: number, height: number): number {
  return HEADER_SIZE + width * height * 4;
}

/**
 * Writes a frame as a BMP file.
 * @param frame Any frame.
 * @param file Where to; {@linkcode bmpSize} bytes, its start at 2 bytes past a multiple of 4 in its buffer so
 * that pixels lie on whole words (see {@linkcode bmpBuffer}).
 */
export function writeBmp(frame: Frame, file: Uint8Array<ArrayBuffer>): void {
  const { width, height } = frame;
  const view = new DataView(file.buffer, file.byteOffset, HEADER_SIZE);
  view.setUint16(0, 0x4d42, true); // bfType: "BM"
  view.setUint32(2, file.length, true); // bfSize
  view.setUint32(6, 0, true); // bfReserved1, bfReserved2
  view.setUint32(10, HEADER_SIZE, true); // bfOffBits
  view.setUint32(14, 40, true); // biSize
  view.setInt32(18, width, true); // biWidth
  view.setInt32(22, height, true); // biHeight: positive, from the bottom up
  view.setUint16(26, 1, true); // biPlanes
  view.setUint16(28, 32, true); // biBitCount
  view.setUint32(30, 0, true); // biCompression: BI_RGB
  view.setUint32(34, width * height * 4, true); // biSizeImage
  view.setInt32(38, RESOLUTION, true); // biXPelsPerMeter
  view.setInt32(42, RESOLUTION, true); // biYPelsPerMeter
  view.setUint32(46, 0, true); // biClrUsed
  view.setUint32(50, 0, true); // biClrImportant
  const from = new Uint32Array(frame.pixels.buffer, frame.pixels.byteOffset, frame.pixels.byteLength >> 2);
  const to = new Uint32Array(file.buffer, file.byteOffset + HEADER_SIZE, width * height);
  const stride = frame.stride >> 2;
  for (let row = height - 1, at = 0; row >= 0; row--) {
    for (let pixel = row * stride, end = pixel + width; pixel < end; pixel++) to[at++] = from[pixel] | OPAQUE;
  }
}

/** Memory for a BMP file of this size, aligned as {@linkcode writeBmp} wants it. */
export function bmpBuffer(width: number, height: number): Uint8Array<ArrayBuffer> {
  const size = bmpSize(width, height);
  return new Uint8Array(new ArrayBuffer(size + 2), 2, size);
}
