/**
 * Shrinks frames, with each pixel the average of the area that it covers, so that thin lines and text stay
 * readable; and draws marks: numbers in boxes at the places that they stand for.
 */

import type { Frame } from "../desktop/desktop.ts";
import { encodeBmp, type Pixels, type Size } from "./bitmap.ts";
import { encodePng } from "./png.ts";

/** Sum of the weights of a pixel's sources; the product of a weight and a colour fits in 16 bits. */
const WHOLE = 256;

/** The sources of each pixel along one axis, with their weights. */
interface Taps {
  /** First source of each pixel. */
  starts: Uint32Array;
  /** Index of each pixel's first weight; one entry more than there are pixels. */
  offsets: Uint32Array;
  weights: Uint16Array;
}

/** @returns For each of `to` pixels, which of the `from` sources it covers, and by how much. */
function tapsOf(from: number, to: number): Taps {
  const starts = new Uint32Array(to), offsets = new Uint32Array(to + 1), weights: number[] = [];
  for (let pixel = 0; pixel < to; pixel++) {
    const left = pixel * from / to, right = (pixel + 1) * from / to;
    starts[pixel] = Math.floor(left);
    for (let source = starts[pixel], given = 0; given < WHOLE; source++) {
      // Rounds the running sum instead of each weight, so that the weights add up exactly.
      const covered = Math.min(right, source + 1) - left;
      const sum = source + 1 >= right ? WHOLE : Math.round(covered / (right - left) * WHOLE);
      weights.push(sum - given);
      given = sum;
    }
    offsets[pixel + 1] = weights.length;
  }
  return { starts, offsets, weights: Uint16Array.from(weights) };
}

/**
 * Shrinks a frame by averaging areas.
 * @param frame Read before this returns, so it need not stay valid.
 * @param size Not larger than the frame in either direction.
 * @returns The frame itself if it already has that size.
 */
export function shrunk<P extends Pixels>(frame: P, { width, height }: Size): P | Frame {
  if (width === frame.width && height === frame.height) return frame;
  const rows = tapsOf(frame.height, height), columns = tapsOf(frame.width, width);
  const source = new Uint32Array(frame.pixels.buffer, frame.pixels.byteOffset, frame.pixels.byteLength >> 2);
  const target = new Uint32Array(width * height);
  // Red and blue are summed in the two halves of one number, green in another.
  const redBlue = new Uint32Array(frame.width), green = new Uint32Array(frame.width);
  for (let y = 0; y < height; y++) {
    redBlue.fill(0);
    green.fill(0);
    for (let tap = rows.offsets[y]; tap < rows.offsets[y + 1]; tap++) {
      const row = rows.starts[y] + tap - rows.offsets[y];
      addRow(source, row * frame.stride >> 2, rows.weights[tap], redBlue, green);
    }
    averageColumns(redBlue, green, columns, target.subarray(y * width, (y + 1) * width));
  }
  return { width, height, stride: width * 4, pixels: new Uint8Array(target.buffer) };
}

/** Adds a row's colours, multiplied by a weight. */
function addRow(
  source: Uint32Array,
  start: number,
  weight: number,
  redBlue: Uint32Array,
  green: Uint32Array,
): void {
  for (let x = 0; x < redBlue.length; x++) {
    const pixel = source[start + x];
    redBlue[x] += Math.imul(pixel & 0xff00ff, weight);
    green[x] += (pixel >>> 8 & 0xff) * weight;
  }
}

/** Converts summed pixels to a row of pixels. */
function averageColumns(redBlue: Uint32Array, green: Uint32Array, columns: Taps, target: Uint32Array): void {
  const { starts, offsets, weights } = columns;
  for (let x = 0; x < target.length; x++) {
    let red = 0, blue = 0, middle = 0;
    for (let tap = offsets[x], from = starts[x]; tap < offsets[x + 1]; tap++, from++) {
      const weight = weights[tap], both = redBlue[from];
      red += (both >>> 16) * weight;
      blue += (both & 0xffff) * weight;
      middle += green[from] * weight;
    }
    // Both weights together are 2 ** 16; half of it is added to round.
    target[x] = (red + 0x8000 >>> 16) << 16 | (middle + 0x8000 >>> 16) << 8 | (blue + 0x8000 >>> 16);
  }
}

/** A copy of a frame in which each pixel is repeated. */
function enlarged({ width, height, stride, pixels }: Pixels, times: number): Pixels {
  const source = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength >> 2);
  const wide = width * times, target = new Uint32Array(wide * height * times);
  for (let y = 0; y < height; y++) {
    const row = target.subarray(y * times * wide, (y * times + 1) * wide), from = y * stride >> 2;
    for (let x = 0; x < wide; x++) row[x] = source[from + Math.floor(x / times)];
    for (let again = 1; again < times; again++) target.set(row, (y * times + again) * wide);
  }
  return { width: wide, height: height * times, stride: wide * 4, pixels: new Uint8Array(target.buffer) };
}

// Picture files of a given size, and within a size limit.

const ENCODERS = { bmp: encodeBmp, png: encodePng };

/** The picture to make from a frame. */
export interface PictureShape {
  /** Size of the picture, not larger than the frame in either direction; the frame's size if left out. */
  size?: Size;
  /** "png" if left out. */
  format?: keyof typeof ENCODERS;
  /** How often each pixel is repeated in both directions, instead of `size`; 1 if left out. */
  zoom?: number;
  /** Marks to draw, at places in the picture. */
  marks?: readonly DrawnMark[];
  /** Maximum file size, in bytes: a picture with a larger file is halved until its file fits. */
  budget?: number;
}

export interface PictureFile extends Size {
  file: Uint8Array<ArrayBuffer>;
}

/**
 * Makes a frame's picture file, in tens of milliseconds for a screen: called by a Worker (picture_maker.ts).
 */
export function shapedPicture(
  frame: Pixels,
  { zoom = 1, marks = [], size, format = "png", budget = Infinity }: PictureShape,
): PictureFile {
  if (zoom > 1) frame = enlarged(frame, zoom);
  if (marks.length) {
    frame = shrunk(enlarged(frame, 1), size ?? frame);
    drawMarks(frame, marks);
  }
  for (let { width, height } = size ?? frame;; width = Math.ceil(width / 2), height = Math.ceil(height / 2)) {
    frame = shrunk(frame, { width, height });
    const file = ENCODERS[format](frame);
    if (file.length <= budget) return { file, width, height };
  }
}

/** A mark at a place in the picture. */
export interface DrawnMark {
  number: number;
  /** The middle of the marked element. */
  x: number;
  y: number;
}

/** The digits, each 5 rows of 3 pixels; the highest bit of a row is the left pixel. */
const DIGITS = [
  [7, 5, 5, 5, 7],
  [2, 6, 2, 2, 7],
  [7, 1, 7, 4, 7],
  [7, 1, 3, 1, 7],
  [5, 5, 7, 1, 1],
  [7, 4, 7, 1, 7],
  [7, 4, 7, 5, 7],
  [7, 1, 1, 2, 2],
  [7, 5, 7, 5, 7],
  [7, 5, 7, 1, 7],
];
/** Picture pixels per digit pixel, and the padding around a number, in digit pixels. */
const SCALE = 2, PADDING = 1;
/** Size of a digit, and the distance from one to the next. */
const ROWS = 5, COLUMNS = 3, STEP = COLUMNS + 1;
/** Colours of the box and of the number, 0xRRGGBB: they contrast with each other and with most screens. */
const BOX = 0xd0006f, NUMBER = 0xffffff;

/** Draws marks into a frame whose pixels the caller owns. */
function drawMarks(frame: Pixels, marks: readonly DrawnMark[]): void {
  for (const { number, x, y } of marks) {
    const digits = String(number), width = (digits.length * STEP - 1 + 2 * PADDING) * SCALE;
    const height = (ROWS + 2 * PADDING) * SCALE;
    const left = Math.max(0, Math.min(frame.width - width, Math.round(x - width / 2)));
    const top = Math.max(0, Math.min(frame.height - height, Math.round(y - height / 2)));
    fill(frame, left, top, width, height, BOX);
    [...digits].forEach((digit, i) => {
      drawDigit(frame, left + (PADDING + i * STEP) * SCALE, top + PADDING * SCALE, Number(digit));
    });
  }
}

function drawDigit(frame: Pixels, left: number, top: number, digit: number): void {
  DIGITS[digit].forEach((row, y) => {
    for (let x = 0; x < COLUMNS; x++) {
      if (!(row >> COLUMNS - 1 - x & 1)) continue;
      fill(frame, left + x * SCALE, top + y * SCALE, SCALE, SCALE, NUMBER);
    }
  });
}

function fill(frame: Pixels, left: number, top: number, width: number, height: number, rgb: number): void {
  const words = new Uint32Array(frame.pixels.buffer, frame.pixels.byteOffset, frame.pixels.byteLength >> 2);
  for (let y = top; y < Math.min(top + height, frame.height); y++) {
    const start = y * frame.stride >> 2;
    words.fill(rgb, start + left, start + Math.min(left + width, frame.width));
  }
}
