/**
 * Pictures in memory: as the file readers return them, as BMP files, and shared with other threads, so that a
 * Worker needs no copy.
 */

import { InputError } from "../../core/errors.ts";
import type { Frame } from "../desktop/desktop.ts";

/** Width and height in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Pixels in the format of screens: of a `Frame`, or of a frame in shared memory. */
export interface Pixels extends Size {
  /** Bytes from one row to the next; a multiple of 4. */
  stride: number;
  /** Rows from the top down, 4 bytes per pixel: blue, green, red, and one unused byte. */
  pixels: Uint8Array;
}

/** A picture in memory. */
export interface Bitmap extends Size {
  /** Each pixel's colour as 0xRRGGBB, in rows from the top. */
  pixels: Uint32Array<ArrayBuffer>;
  /**
   * One byte per pixel: 1 if the pixel is opaque, 0 if its alpha is below 128; left out if all are opaque.
   */
  opaque?: Uint8Array<ArrayBuffer>;
}

/** Minimum alpha of a pixel that counts as opaque. */
const OPAQUE_ALPHA = 128;

/** A bitmap that a reader fills. */
export class BitmapWriter {
  readonly #pixels: Uint32Array<ArrayBuffer>;
  #opaque: Uint8Array<ArrayBuffer> | undefined;

  constructor(readonly size: Size) {
    this.#pixels = new Uint32Array(size.width * size.height);
  }

  /**
   * Sets a pixel.
   * @param at Its index, in rows from the top.
   * @param rgb 0xRRGGBB.
   * @param alpha 0 to 255.
   */
  set(at: number, rgb: number, alpha: number): void {
    this.#pixels[at] = rgb;
    if (alpha >= OPAQUE_ALPHA) return;
    this.#opaque ??= new Uint8Array(this.#pixels.length).fill(1);
    this.#opaque[at] = 0;
  }

  /** The bitmap as it was written. */
  bitmap(): Bitmap {
    const { width, height } = this.size;
    return { width, height, pixels: this.#pixels, ...(this.#opaque ? { opaque: this.#opaque } : {}) };
  }
}

/**
 * Checks that a picture fits into a rectangle.
 * @param whole The rectangle's name in messages, such as `the region`.
 * @throws InputError with both sizes.
 */
export function checkFits(picture: Size, within: Size, whole: string): void {
  if (picture.width <= within.width && picture.height <= within.height) return;
  const [inner, outer] = [picture, within].map(({ width, height }) => `${width}x${height}`);
  throw new InputError(`the picture (${inner}) is larger than ${whole} (${outer})`);
}

// The first bytes of picture files, which distinguish their formats.

/** The first bytes of a PNG file (W3C "Portable Network Graphics", third edition, section 5.2). */
export const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** `BM`, the first bytes of a BMP file. */
const BMP = [0x42, 0x4d];

/** Whether bytes start like a PNG file. */
export function isPng(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.every((byte, i) => bytes[i] === byte);
}

/** Whether bytes start like a BMP file. */
export function isBmp(bytes: Uint8Array): boolean {
  return BMP.every((byte, i) => bytes[i] === byte);
}

/** Whether bytes start like a PNG or BMP file. */
export function isPicture(bytes: Uint8Array): boolean {
  return isPng(bytes) || isBmp(bytes);
}

// BMP files: BITMAPFILEHEADER and BITMAPINFOHEADER (Microsoft, "Bitmap Storage"), 32 bits per pixel,
// uncompressed, with a positive height, so rows run from the bottom up. The fourth byte of a pixel is
// undefined, as screens leave it. The BI_BITFIELDS masks declare that this byte is not alpha; with BI_RGB,
// some readers treat it as alpha. Overwriting the byte takes four times as long as copying rows (4.6 ms
// against 1.1 ms for 1920x1080).

/** Size of both headers and the three masks, in bytes. */
const HEADER_SIZE = 14 + 40 + 12;
/** biCompression: the masks define where the colours are. */
const BI_BITFIELDS = 3;
/** Resolution of the picture: 96 dots per inch, in pixels per metre. */
const RESOLUTION = 3780;
/**
 * Approximate size of a piece, in bytes. Small pieces stay in the processor's cache between flipping their
 * rows and sending them: pieces of 1 MB take a quarter longer.
 */
const PIECE_SIZE = 256 * 1024;

/**
 * Size in bytes of the BMP file of a picture with this size in pixels.
 * @example
 * bmpSize(1920, 1080); // 8_294_466
 */
export function bmpSize(width: number, height: number): number {
  return HEADER_SIZE + width * height * 4;
}

/**
 * Writes a BMP file piece by piece.
 * @param parts The parts of a picture of this size, from the bottom up; each part is valid until the next is
 * requested.
 * @returns {@linkcode bmpSize} bytes in total, each piece in its own memory.
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

export interface SharedFrame extends Size {
  /** Bytes from one row to the next. */
  stride: number;
  memory: SharedArrayBuffer;
}

/**
 * Reusable shared memory for one frame at a time: new memory of a screen's size takes ten times as long to
 * fill.
 */
export class FrameMemory {
  #memory: SharedArrayBuffer | undefined;

  /** Copies a frame into the memory, overwriting the previous frame. */
  share({ width, height, stride, pixels }: Frame): SharedFrame {
    const memory = this.#sized(pixels.length);
    new Uint8Array(memory).set(pixels);
    return { width, height, stride, memory };
  }

  /** Makes room for a frame without gaps between rows; overwrites the previous frame. */
  frame({ width, height }: Size): SharedFrame {
    return { width, height, stride: width * 4, memory: this.#sized(width * height * 4) };
  }

  #sized(bytes: number): SharedArrayBuffer {
    if (!this.#memory || this.#memory.byteLength < bytes) this.#memory = new SharedArrayBuffer(bytes);
    return this.#memory;
  }

  /** Releases the memory. */
  free(): void {
    this.#memory = undefined;
  }
}
