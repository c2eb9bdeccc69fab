/** The picture to find, prepared for searching. */

import type { Bitmap, Size } from "../image/bitmap.ts";

// Screen pixels, and when one is near a colour.

/** A picture of the screen or of part of it. */
export interface Pixels extends Size {
  /** Pixels from one row to the next, at least `width`. */
  stride: number;
  /** 0xXXRRGGBB, in rows from the top; XX is unused. */
  pixels: Uint32Array;
}

/**
 * A guard bit above each of two channels that are 16 bits apart, so that a subtraction does not borrow from
 * the next channel.
 */
const GUARDS = 0x2000200;
/** The guard bit of one channel. */
const GUARD = 0x200;

/**
 * Whether red, green and blue of two colours each differ by at most `tolerance`: 1 if so, otherwise 0. All
 * three are compared without a branch, since no processor can predict the results for millions of pixels: red
 * and blue are two numbers in one word, and their guard bits stay set if the difference is small enough.
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

/** Whether two colours differ by more than `tolerance`; fastest if they are equal. */
export function differ(a: number, b: number, tolerance: number): boolean {
  return ((a ^ b) & 0xffffff) !== 0 && (tolerance === 0 || near(a, b, tolerance) === 0);
}

/** Kinds of pattern pixels: bit 0 is set if the pixel counts, bit 1 if it is a detail. */
export const KIND = { transparent: 0, background: 1, detail: 3 } as const;

/** A prepared picture. */
export interface Pattern extends Size {
  /** 0xRRGGBB, in rows from the top. */
  colors: Uint32Array;
  /** The kind of each pixel, one of {@linkcode KIND}. */
  kinds: Uint8Array;
  /** Indices of the pixels that are not transparent. */
  counted: Int32Array;
  /** Indices of the pixels that differ from the most frequent colour, such as those of a button's label. */
  details: Int32Array;
  tolerance: number;
  /** The colour of all pixels, if they have the same colour and none is transparent. */
  flat?: number;
}

/**
 * Prepares a picture.
 * @param tolerance Allowed difference of each of red, green and blue, 0 to 255.
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

/** The indices of the pixels whose kind has these bits. */
function withBits(kinds: Uint8Array, bits: number): Int32Array {
  const numbers = new Int32Array(kinds.length);
  let count = 0;
  for (let i = 0; i < kinds.length; i++) if ((kinds[i] & bits) === bits) numbers[count++] = i;
  return numbers.slice(0, count);
}

/** The most frequent colour of the opaque pixels; on a tie, the first. */
function mostFrequent(pixels: Uint32Array, opaque?: Uint8Array): number {
  const counts = new Map<number, number>();
  for (let i = 0; i < pixels.length; i++) {
    if (!opaque || opaque[i]) counts.set(pixels[i], (counts.get(pixels[i]) ?? 0) + 1);
  }
  let best = 0, most = 0;
  for (const [color, count] of counts) if (count > most) [best, most] = [color, count];
  return best;
}

// Selects the pixels to compare first; the same input gives the same pixels.

/** Number of screen pixels counted to learn which colours are rare. */
const COUNTED = 8192;
/** Number of pattern pixels among which rare colours are sought. */
const CANDIDATES = 4096;
/** Number of pixels with rare colours that come first. */
const RARE = 8;

/**
 * Draws numbers at random, without repetition.
 * @param count How many to draw; if there are fewer, all are returned in another order.
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
 * Selects pixels that rule out most places early: some with the colours that are rarest on the screen, then
 * some at random.
 * @param count Maximum number of pixels.
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

/** Counts coarse colours in a sample of the pixels. */
function colorCounts({ width, height, stride, pixels }: Pixels): Uint16Array {
  const counts = new Uint16Array(4096), total = width * height;
  const step = Math.max(1, Math.floor(total / COUNTED)) | 1; // an odd step reaches every column of most widths
  for (let i = 0; i < total; i += step) counts[coarse(pixels[Math.floor(i / width) * stride + i % width])]++;
  return counts;
}

/** Reduces a colour to the upper four bits of its channels. */
function coarse(color: number): number {
  return color >> 12 & 0xf00 | color >> 8 & 0xf0 | color >> 4 & 0xf;
}

// Limits the work of one search.

/** Maximum number of pattern pixels compared per screen pixel. */
const STEPS_A_PIXEL = 256;

/** Counts the pixels that a search compares. */
export class Budget {
  #left: number;

  /** @param screen The region to search. */
  constructor({ width, height }: Size) {
    this.#left = width * height * STEPS_A_PIXEL;
  }

  /** Whether the whole budget is spent: the search must end without a result. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** @param steps Number of pixels compared. */
  spend(steps: number): void {
    this.#left -= steps;
  }
}

// Places where a pattern was found.

/** A place, given by its top left pixel. */
export interface MatchPlace {
  x: number;
  y: number;
  /** Share of pixels that do not match, 0 to 1. */
  loss: number;
}

/** Finds the last of several places that would overlap a pattern of this size at `x`, `y`. */
export function overlapping(
  places: readonly MatchPlace[],
  x: number,
  y: number,
  size: Size,
): MatchPlace | undefined {
  return places.findLast((place) =>
    Math.abs(place.x - x) < size.width && Math.abs(place.y - y) < size.height
  );
}

/**
 * The best places that overlap neither each other nor a better place; on a tie, the first in reading order.
 * @param limit Maximum number of places.
 */
function bestApart(places: readonly MatchPlace[], size: Size, limit: number): MatchPlace[] {
  const sorted = places.toSorted((a, b) => a.loss - b.loss || a.y - b.y || a.x - b.x);
  const kept: MatchPlace[] = [];
  for (const place of sorted) {
    if (kept.length === limit) break;
    if (!overlapping(kept, place.x, place.y, size)) kept.push(place);
  }
  return kept;
}

// Collects the places where enough of a pattern matches.

/** Maximum number of places collected before the best are selected. */
const PLACES = 100_000;
/** Shares are quotients of integers: a smaller difference is a rounding error. */
const EPSILON = 1e-9;

/** The places found so far, and how many pixels may be wrong in a further place. */
export class Candidates {
  #places: MatchPlace[] = [];
  #allowed: number;

  /**
   * @param exact Places where all pixels match; places that overlap one of them are ignored.
   * @param allowed Share of pixels that may be wrong.
   * @param limit Number of places wanted besides the exact ones. With a limit of 1, only a better place than
   * the last one counts.
   */
  constructor(
    readonly size: Size,
    readonly exact: readonly MatchPlace[],
    allowed: number,
    readonly limit: number,
  ) {
    this.#allowed = allowed;
  }

  /** How many of `count` pixels may currently be wrong. */
  allowedOf(count: number): number {
    if (count === 0) return 0;
    const isBettered = this.limit === 1 && this.#places.length > 0;
    return isBettered
      ? Math.ceil(count * this.#allowed - EPSILON) - 1
      : Math.floor(count * this.#allowed + EPSILON);
  }

  /** Whether there are too many candidates to continue. */
  get isFull(): boolean {
    return this.#places.length >= PLACES;
  }

  /**
   * Adds a matching place.
   * @returns Whether the number that {@linkcode allowedOf} returns has changed.
   */
  add(place: MatchPlace): boolean {
    if (overlapping(this.exact, place.x, place.y, this.size)) return false;
    if (this.limit > 1) {
      this.#places.push(place);
      return false;
    }
    this.#places = [place];
    this.#allowed = place.loss;
    return true;
  }

  /** The best places that do not overlap, best first. */
  best(): MatchPlace[] {
    return bestApart(this.#places, this.size, this.limit);
  }
}
