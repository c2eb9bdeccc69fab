/** The options of pixelmatch (https://github.com/mapbox/pixelmatch#api) that deskhand sets. */
interface PixelmatchOptions {
  /** Colour distance from which pixels differ, from 0 to 1. */
  threshold: number;
  /** Whether to count pixels that differ only in anti-aliasing. */
  includeAA: boolean;
}

/**
 * Compares two pictures of the same size, each as red, green, blue and alpha of its pixels.
 * @param output Receives a picture of the differences: red for counted pixels, yellow where anti-aliasing
 * explains the difference, and pale grey elsewhere.
 * @returns Number of counted pixels.
 */
export default function pixelmatch(
  one: Uint8Array,
  other: Uint8Array,
  output: Uint8Array | undefined,
  width: number,
  height: number,
  options: PixelmatchOptions,
): number;
