/** Chooses the pixels to compare first; the same input gives the same pixels. */

import type { Pattern } from "./pattern.ts";
import type { Pixels } from "./pixels.ts";

/** Pixels of the screen that are counted to learn which colours are rare on it. */
const COUNTED = 8192;
/** Pixels of the pattern among which rare colours are sought. */
const CANDIDATES = 4096;
/** Pixels of rare colours that come first. */
const RARE = 8;

/**
 * Draws numbers at random, without repetition.
 * @param count How many to draw; if there are fewer, all of them are returned in another order.
 */
export function draw(from: Int32Array, count: number): Int32Array {
  const rest = from.slice(), drawn = Math.min(count, rest.length);
  let seed = 1;
  for (let i = 0; i < drawn; i++) {
    seed = Math.imul(seed, 1664525) + 1013904223 >>> 0; // Numerical Recipes' generator: any even spread will do
    const j = i + Math.floor(seed / 2 ** 32 * (rest.length - i));
    [rest[i], rest[j]] = [rest[j], rest[i]];
  }
  return rest.subarray(0, drawn);
}

/**
 * Chooses pixels that rule out most places soon: some of the colours that are rarest on the screen, then some at
 * random.
 * @param count How many at most.
 */
export function distinctivePixels(screen: Pixels, { colors, counted }: Pattern, count: number): number[] {
  const common = colorCounts(screen), first = new Map<number, number>();
  for (const i of draw(counted, CANDIDATES)) {
    const key = coarse(colors[i]);
    if (!first.has(key)) first.set(key, i);
  }
  const rare = [...first].sort(([a], [b]) => common[a] - common[b]).slice(0, RARE).map(([, i]) => i);
  return [...new Set([...rare, ...draw(counted, count)])].slice(0, count);
}

/** Counts coarse colours among some of the pixels. */
function colorCounts({ width, height, stride, pixels }: Pixels): Uint16Array {
  const counts = new Uint16Array(4096), total = width * height;
  const step = Math.max(1, Math.floor(total / COUNTED)) | 1; // an odd step reaches every column of most widths
  for (let i = 0; i < total; i += step) counts[coarse(pixels[Math.floor(i / width) * stride + i % width])]++;
  return counts;
}

/** A colour by the upper four bits of its channels. */
function coarse(color: number): number {
  return color >> 12 & 0xf00 | color >> 8 & 0xf0 | color >> 4 & 0xf;
}
