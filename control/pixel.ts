/** Single pixels and their colours, as numbers 0xRRGGBB. */

import type { Point } from "./desktop.ts";
import type { Operator } from "./operator.ts";

/**
 * The colour of a pixel.
 * @throws InputError if the place is not on the desktop.
 */
export function pixelOf(operator: Operator, { x, y }: Point): Promise<number> {
  return operator.capture(
    { x, y, width: 1, height: 1 },
    false,
    ({ pixels: [blue, green, red] }) => red << 16 | green << 8 | blue,
  );
}

/**
 * A colour as `#rrggbb`.
 * @example
 * hexOf(0x20242c); // "#20242c"
 */
export function hexOf(rgb: number): string {
  return "#" + rgb.toString(16).padStart(6, "0");
}

/**
 * Tells whether red, green and blue each differ by no more than `tolerance` (0 to 255).
 * @example
 * isNear(0x102030, 0x11202f, 1); // true
 */
export function isNear(a: number, b: number, tolerance: number): boolean {
  return [16, 8, 0].every((shift) => Math.abs((a >> shift & 255) - (b >> shift & 255)) <= tolerance);
}
