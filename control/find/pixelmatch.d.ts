/** The options of pixelmatch (https://github.com/mapbox/pixelmatch#api) that deskhand gives. */
interface PixelmatchOptions {
  /** The distance of colours that counts, from 0 to 1. */
  threshold: number;
  /** Whether pixels that only another anti-aliasing explains count. */
  includeAA: boolean;
}

/**
 * Compares two pictures of one size, each as red, green, blue and alpha of its pixels.
 * @param output Receives a picture of the differences: red where a pixel counts, yellow where anti-aliasing explains
 * the difference, and a pale grey elsewhere.
 * @returns The number of pixels that count.
 */
export default function pixelmatch(
  one: Uint8Array,
  other: Uint8Array,
  output: Uint8Array | undefined,
  width: number,
  height: number,
  options: PixelmatchOptions,
): number;
