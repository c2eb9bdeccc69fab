/** Pictures in memory, as the readers of files give them. */

import { InputError } from "../../core/errors.ts";

/** Width and height in pixels. */
export interface Size {
  width: number;
  height: number;
}

/** Pixels in the format of screens: of a `Frame`, or of a frame in shared memory. */
export interface Pixels extends Size {
  /** Bytes from one row to the next; a multiple of 4. */
  stride: number;
  /** Rows from the top down, 4 bytes a pixel: blue, green, red, and one unused byte. */
  pixels: Uint8Array;
}

/** A picture in memory. */
export interface Bitmap extends Size {
  /** Each pixel's colour as 0xRRGGBB, in rows from the top. */
  pixels: Uint32Array<ArrayBuffer>;
  /** A byte for each pixel: 1 if the pixel is opaque, 0 if its alpha is below 128; left out if all are opaque. */
  opaque?: Uint8Array<ArrayBuffer>;
}

/** The least alpha of a pixel that counts as opaque. */
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
   * @param at Its number, in rows from the top.
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
 * @param whole The rectangle's name, such as `the region`.
 * @throws InputError with both sizes.
 */
export function checkFits(picture: Size, within: Size, whole: string): void {
  if (picture.width <= within.width && picture.height <= within.height) return;
  const [inner, outer] = [picture, within].map(({ width, height }) => `${width}x${height}`);
  throw new InputError(`the picture (${inner}) is larger than ${whole} (${outer})`);
}

// The first bytes of picture files, which tell their formats apart.

/** The first bytes of a PNG file (W3C "Portable Network Graphics", third edition, section 5.2). */
export const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** `BM`, the first bytes of a BMP file. */
const BMP = [0x42, 0x4d];

/** Whether bytes begin as a PNG file does. */
export function isPng(bytes: Uint8Array): boolean {
  return PNG_SIGNATURE.every((byte, i) => bytes[i] === byte);
}

/** Whether bytes begin as a BMP file does. */
export function isBmp(bytes: Uint8Array): boolean {
  return BMP.every((byte, i) => bytes[i] === byte);
}

/** Whether bytes begin as a PNG or BMP file does. */
export function isPicture(bytes: Uint8Array): boolean {
  return isPng(bytes) || isBmp(bytes);
}
