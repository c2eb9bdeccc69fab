/** Marks on pictures: numbers in boxes, at the places that they stand for. */

import type { Pixels } from "./bitmap.ts";

/** A mark, at a place of the picture. */
export interface DrawnMark {
  number: number;
  /** The middle of what is marked. */
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
/** Pixels of the picture for a pixel of a digit, and the space around a number in those. */
const SCALE = 2, PADDING = 1;
/** The size of a digit, and the step from one to the next. */
const ROWS = 5, COLUMNS = 3, STEP = COLUMNS + 1;
/** The colours of the box and of the number, 0xRRGGBB: they differ from each other and from most screens. */
const BOX = 0xd0006f, NUMBER = 0xffffff;

/** Draws marks into a frame, whose pixels the caller owns. */
export function drawMarks(frame: Pixels, marks: readonly DrawnMark[]): void {
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
