/** The picture to find, prepared for searching. */

import type { Bitmap, Size } from "../image/bitmap.ts";
import { differ } from "./pixels.ts";

/** Kinds of a pattern's pixels: bit 0 is set if the pixel counts, bit 1 if it is a detail. */
export const KIND = { transparent: 0, background: 1, detail: 3 } as const;

/** A prepared picture. */
export interface Pattern extends Size {
  /** 0xRRGGBB, in rows from the top. */
  colors: Uint32Array;
  /** The kind of each pixel, one of {@linkcode KIND}. */
  kinds: Uint8Array;
  /** Numbers of the pixels that are not transparent. */
  counted: Int32Array;
  /** Numbers of the pixels that differ from the most frequent colour, such as those of a button's label. */
  details: Int32Array;
  tolerance: number;
  /** The colour of all pixels, if they have one colour and none is transparent. */
  flat?: number;
}

/**
 * Prepares a picture.
 * @param tolerance How far each of red, green and blue may be off, 0 to 255.
 */
export function patternOf({ width, height, pixels, opaque }: Bitmap, tolerance: number): Pattern {
  const background = mostFrequent(pixels, opaque);
  const kinds = new Uint8Array(pixels.length);
  for (let i = 0; i < pixels.length; i++) {
    if (opaque && !opaque[i]) kinds[i] = KIND.transparent;
    else kinds[i] = differ(pixels[i], background, tolerance) ? KIND.detail : KIND.background;
  }
  const isFlat = !opaque && pixels.every((color) => color === background);
  return {
    width,
    height,
    colors: pixels,
    kinds,
    counted: withBits(kinds, KIND.background),
    details: withBits(kinds, KIND.detail),
    tolerance,
    ...(isFlat ? { flat: background } : {}),
  };
}

/** Finds the numbers of the pixels whose kind has these bits. */
function withBits(kinds: Uint8Array, bits: number): Int32Array {
  const numbers = new Int32Array(kinds.length);
  let count = 0;
  for (let i = 0; i < kinds.length; i++) if ((kinds[i] & bits) === bits) numbers[count++] = i;
  return numbers.slice(0, count);
}

/** The most frequent colour of the opaque pixels; of several, the first. */
function mostFrequent(pixels: Uint32Array, opaque?: Uint8Array): number {
  const counts = new Map<number, number>();
  for (let i = 0; i < pixels.length; i++) {
    if (!opaque || opaque[i]) counts.set(pixels[i], (counts.get(pixels[i]) ?? 0) + 1);
  }
  let best = 0, most = 0;
  for (const [color, count] of counts) if (count > most) [best, most] = [color, count];
  return best;
}
