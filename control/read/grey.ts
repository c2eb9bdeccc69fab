/** Grey pictures, in which text is searched. */

import type { Region } from "../desktop/input.ts";
import type { SharedFrame, Size } from "../image/bitmap.ts";

/** One byte per pixel, in rows from the top without gaps. */
export interface Grey extends Size {
  data: Uint8Array<ArrayBuffer>;
}

/** The luma of a frame (ITU-R BT.601), in 256ths. */
export function greyOf({ width, height, stride, memory }: SharedFrame): Grey {
  const words = new Uint32Array(memory), data = new Uint8Array(width * height), row = stride >> 2;
  for (let y = 0, to = 0; y < height; y++) {
    for (let at = y * row, end = at + width; at < end; at++) {
      const word = words[at];
      data[to++] = ((word >> 16 & 255) * 77 + (word >> 8 & 255) * 150 + (word & 255) * 29) >> 8;
    }
  }
  return { width, height, data };
}

/** Copies a part of the picture. */
export function partOf({ width: across, data }: Grey, { x, y, width, height }: Region): Grey {
  const part = new Uint8Array(width * height);
  for (let row = 0; row < height; row++) {
    const from = (y + row) * across + x;
    part.set(data.subarray(from, from + width), row * width);
  }
  return { width, height, data: part };
}

/** Whether two pictures are the same. */
export function isSame(a: Grey, b: Grey): boolean {
  if (a.width !== b.width || a.height !== b.height) return false;
  for (let i = 0; i < a.data.length; i++) if (a.data[i] !== b.data[i]) return false;
  return true;
}

/** Number of grey levels among which the most frequent is the background. */
const LEVELS = 32;
/** Minimum contrast that is stretched to full contrast; smaller differences are noise. */
const LEAST_CONTRAST = 24;

/**
 * The mapping of a line's pixels that makes its text dark on white with full contrast. The background is the
 * most frequent grey of the line itself, since a screen has dark and light parts.
 */
function contrast(data: Uint8Array): Uint8Array {
  const counts = new Uint32Array(LEVELS), sums = new Uint32Array(LEVELS);
  let low = 255, high = 0;
  for (const value of data) {
    counts[value >> 3]++;
    sums[value >> 3] += value;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  let most = 0;
  for (let level = 1; level < LEVELS; level++) if (counts[level] > counts[most]) most = level;
  const ground = sums[most] / counts[most], isLightOnDark = high - ground > ground - low;
  const range = Math.max(LEAST_CONTRAST, isLightOnDark ? high - ground : ground - low);
  return Uint8Array.from({ length: 256 }, (_, value) => {
    const ink = isLightOnDark ? value - ground : ground - value;
    return Math.min(255, Math.max(0, Math.round(255 - 255 * ink / range)));
  });
}

/** Dark text on white with full contrast, scaled to a height. */
export function normalised({ width: across, height: down, data }: Grey, height: number): Grey {
  const values = contrast(data), scale = height / down, width = Math.max(1, Math.round(across * scale));
  const columns = steps(width, across, scale), rows = steps(height, down, scale);
  const scaled = new Uint8Array(width * height);
  for (let y = 0, to = 0; y < height; y++) {
    const upper = rows.before[y] * across, lower = rows.after[y] * across, down = rows.share[y];
    for (let x = 0; x < width; x++) {
      const left = columns.before[x], right = columns.after[x], share = columns.share[x];
      const above = values[data[upper + left]] * (256 - share) + values[data[upper + right]] * share;
      const below = values[data[lower + left]] * (256 - share) + values[data[lower + right]] * share;
      scaled[to++] = (above * (256 - down) + below * down) >> 16;
    }
  }
  return { width, height, data: scaled };
}

/**
 * Maps each pixel of a scaled side to the two original pixels around it, and the share of the second one in
 * 256ths.
 */
function steps(count: number, of: number, scale: number) {
  const before = new Int32Array(count), after = new Int32Array(count), share = new Int32Array(count);
  for (let i = 0; i < count; i++) {
    const at = Math.min(of - 1, Math.max(0, (i + 0.5) / scale - 0.5));
    before[i] = Math.floor(at);
    after[i] = Math.min(of - 1, before[i] + 1);
    share[i] = Math.round((at - before[i]) * 256);
  }
  return { before, after, share };
}

// Recognized words.

export interface Word extends Region {
  text: string;
  /** The engine's confidence in the text, out of 100. */
  confidence?: number;
}
