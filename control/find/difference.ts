/** Compares the screen with a picture through pixelmatch, on the search thread. */

import { joined, type Region, united } from "../desktop/geometry.ts";
import type { Bitmap, Size } from "../image/bitmap.ts";
import { encodePng } from "../image/png.ts";
import type { Pixels } from "./pattern.ts";
// @ts-types="./pixelmatch.d.ts"
import pixelmatch from "./pixelmatch.js";

export interface DifferenceOptions {
  /** Colour distance from which pixels differ, from 0 to 1. */
  threshold: number;
  /** Whether to count pixels that differ only in anti-aliasing. */
  countsEdges: boolean;
  /** Regions to ignore, in pixels from the picture's top left corner. */
  masks: readonly Region[];
  /** Whether to return pictures of the screen and of the differences, as PNG files. */
  withPictures: boolean;
}

/** The differences of two pictures. */
export interface Difference {
  /** Number of pixels that differ. */
  pixels: number;
  /** Where they are, in pixels from the top left corner. */
  regions: Region[];
  /** The size of the compared part of the screen. */
  size: Size;
  pictures?: {
    actual: Uint8Array<ArrayBuffer>;
    difference: Uint8Array<ArrayBuffer>;
  };
}

/** Opaque alpha, and the colour of counted pixels in pixelmatch's output, as 0xAABBGGRR. */
const OPAQUE = 0xff000000, COUNTED = 0xff0000ff;
/** Edge length of the squares in which differing pixels form one region, in pixels. */
const SQUARE = 16;

/**
 * Compares part of the screen with a picture. Transparent pixels of the picture are ignored. If one picture
 * is larger, everything beyond the other counts as different.
 */
export function difference(
  screen: Pixels,
  picture: Bitmap,
  { threshold, countsEdges, masks, withPictures }: DifferenceOptions,
): Difference {
  const width = Math.max(screen.width, picture.width), height = Math.max(screen.height, picture.height);
  const actual = new Uint32Array(width * height), expected = new Uint32Array(width * height);
  copy(screen, actual, width);
  copy({ ...picture, stride: picture.width }, expected, width);
  for (const mask of masks) cover(mask, actual, expected, { width, height });
  if (picture.opaque) coverTransparent(picture, actual, expected, width);
  const output = new Uint32Array(width * height),
    bytes = (words: Uint32Array) => new Uint8Array(words.buffer);
  const options = { threshold, includeAA: countsEdges };
  const pixels = pixelmatch(bytes(expected), bytes(actual), bytes(output), width, height, options);
  const { width: across, height: down } = screen;
  return {
    pixels,
    regions: pixels ? regionsOf(output, width) : [],
    size: { width: across, height: down },
    ...(withPictures
      ? { pictures: { actual: pngOf(screen), difference: encoded(output, width, height) } }
      : {}),
  };
}

/** Copies pixels to memory in the byte order red, green, blue, alpha; processors are little-endian. */
function copy({ width, height, stride, pixels }: Pixels, target: Uint32Array, across: number): void {
  for (let y = 0; y < height; y++) {
    for (let x = 0, from = y * stride, to = y * across; x < width; x++) {
      target[to++] = swapped(pixels[from++]) | OPAQUE;
    }
  }
}

/** Swaps red and blue, the lowest and the third byte of a pixel. */
function swapped(color: number): number {
  return (color & 0xff) << 16 | color & 0xff00 | color >> 16 & 0xff;
}

/** Makes both pictures equal in an ignored region. */
function cover(mask: Region, actual: Uint32Array, expected: Uint32Array, { width, height }: Size): void {
  const right = Math.min(width, mask.x + mask.width), bottom = Math.min(height, mask.y + mask.height);
  const left = Math.max(0, mask.x);
  for (let y = Math.max(0, mask.y); y < bottom && left < right; y++) {
    for (const one of [actual, expected]) one.fill(OPAQUE, y * width + left, y * width + right);
  }
}

function coverTransparent(
  { width, height, opaque }: Bitmap,
  actual: Uint32Array,
  expected: Uint32Array,
  across: number,
) {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!opaque![y * width + x]) actual[y * across + x] = expected[y * across + x] = OPAQUE;
    }
  }
}

/** The regions of the counted pixels: their bounding box in each square, joined. */
function regionsOf(output: Uint32Array, width: number): Region[] {
  const squares = new Map<number, Region>(), across = Math.ceil(width / SQUARE);
  for (let i = output.indexOf(COUNTED); i >= 0; i = output.indexOf(COUNTED, i + 1)) {
    const x = i % width, y = (i - x) / width;
    const square = Math.floor(y / SQUARE) * across + Math.floor(x / SQUARE);
    squares.set(square, united(squares.get(square), { x, y, width: 1, height: 1 }));
  }
  return joined([...squares.values()]);
}

function pngOf({ width, height, stride, pixels }: Pixels): Uint8Array<ArrayBuffer> {
  return encodePng({ width, height, stride: stride * 4, pixels: new Uint8Array(pixels.buffer) });
}

function encoded(output: Uint32Array, width: number, height: number): Uint8Array<ArrayBuffer> {
  for (let i = 0; i < output.length; i++) output[i] = swapped(output[i]);
  return pngOf({ width, height, stride: width, pixels: output });
}
