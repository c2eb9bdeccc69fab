/** Pixels of a screen, and when one is near a colour. */

import type { Size } from "../image/bitmap.ts";

/** A picture of the screen, or of a part of it. */
export interface Pixels extends Size {
  /** Pixels from one row to the next, `width` or more. */
  stride: number;
  /** 0xXXRRGGBB in rows from the top; XX is unused. */
  pixels: Uint32Array;
}

/**
 * A guard bit above each of two channels that are 16 bits apart, so that a subtraction does not borrow from the next
 * channel.
 */
const GUARDS = 0x2000200;
/** The guard bit of one channel. */
const GUARD = 0x200;

/**
 * Tells whether none of red, green and blue of two colours is further apart than `tolerance`: 1 if so, else 0. All
 * three are compared without a branch, since no processor can predict the results for millions of pixels: red and
 * blue are two numbers in one word, in which a guard bit stays set if the difference is small enough.
 * @param a 0xXXRRGGBB; XX is ignored, as in `b`.
 * @param tolerance 0 to 255.
 */
export function near(a: number, b: number, tolerance: number): number {
  const evenA = a & 0xff00ff, evenB = b & 0xff00ff, spread = tolerance * 0x10001;
  const even = (evenA | GUARDS) - evenB + spread & (evenB | GUARDS) - evenA + spread;
  const greenA = a >> 8 & 255, greenB = b >> 8 & 255;
  const green = (greenA | GUARD) - greenB + tolerance & (greenB | GUARD) - greenA + tolerance;
  return even >> 25 & even >> 9 & green >> 9 & 1;
}

/** Tells whether two colours are further apart than `tolerance`; fastest where they are the same. */
export function differ(a: number, b: number, tolerance: number): boolean {
  return ((a ^ b) & 0xffffff) !== 0 && (tolerance === 0 || near(a, b, tolerance) === 0);
}
