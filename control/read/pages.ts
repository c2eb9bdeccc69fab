/** Pages: lines below each other, dark on white and of one height, which the engine reads as one block of text. */

import { parted } from "./gaps.ts";
import { type Grey, normalised } from "./grey.ts";
import type { Word } from "./word.ts";

/** Reads the words of a page. @param isLine Whether the page is one line. */
export type ReadPage = (page: Grey, isLine: boolean) => Word[];

/** The height of a line and its margin on a page, in pixels: lower lines are read worse, and higher lines no better. */
const HEIGHT = 32;
/** White above and below a line, in pixels of the screen. */
const MARGIN = 2;
/** Lines on a page. */
export const LINES = 30;
/** Pixels between lines, and around all. */
const BETWEEN = 16, AROUND = { x: 20, y: 10 };
const WHITE = 255;

/**
 * Reads lines as one page, and then reads each line with few words again, alone: where the engine sees columns, it
 * may leave out whole lines.
 * @param lines The pictures of the lines.
 * @returns The words of each line, from the left, with places in the line's pixels.
 */
export function readLines(lines: readonly Grey[], read: ReadPage): Word[][] {
  const words = readPage(lines, read, false);
  return words.map((found, i) => {
    if (isWhole(found, lines[i])) return found;
    const [alone] = readPage([lines[i]], read, true);
    return lengthOf(alone) > lengthOf(found) ? alone : found;
  });
}

function readPage(lines: readonly Grey[], read: ReadPage, isLine: boolean): Word[][] {
  const cuts = lines.map((line) =>
    normalised(line, Math.round(HEIGHT * line.height / (line.height + 2 * MARGIN)))
  );
  const words: Word[][] = lines.map(() => []);
  for (const word of read(pageOf(cuts), isLine)) {
    const number = Math.floor((word.y + word.height / 2 - AROUND.y + BETWEEN / 2) / (HEIGHT + BETWEEN));
    if (!lines[number]) continue;
    words[number].push({ ...word, x: word.x - AROUND.x, y: word.y - topOf(number, cuts[number]) });
  }
  return words.map((line, number) => {
    const sorted = line.sort((a, b) => a.x - b.x);
    return parted(sorted, cuts[number]).flatMap((word) => scaled(word, lines[number], cuts[number]));
  });
}

/** A word within the cut line; undefined if no part of the word is in the line. */
function scaled({ text, x, y, width, height }: Word, line: Grey, cut: Grey): Word[] {
  const scale = line.height / cut.height;
  const left = Math.max(0, Math.floor(x * scale)), top = Math.max(0, Math.floor(y * scale));
  const right = Math.min(line.width, Math.ceil((x + width) * scale));
  const bottom = Math.min(line.height, Math.ceil((y + height) * scale));
  return right > left && bottom > top
    ? [{ text, x: left, y: top, width: right - left, height: bottom - top }]
    : [];
}

/** The share of a line's width that its read words must span so that the line counts as wholly read. */
const WHOLE = 0.75;

/** Tells whether words are of all of a line. */
function isWhole(words: readonly Word[], line: Grey): boolean {
  if (!words.length) return false;
  const right = Math.max(...words.map(({ x, width }) => x + width));
  return right - words[0].x >= WHOLE * line.width;
}

function lengthOf(words: readonly Word[]): number {
  return words.reduce((sum, { text }) => sum + text.length, 0);
}

function pageOf(cuts: readonly Grey[]): Grey {
  const width = Math.max(...cuts.map(({ width }) => width)) + 2 * AROUND.x;
  const height = cuts.length * (HEIGHT + BETWEEN) - BETWEEN + 2 * AROUND.y;
  const data = new Uint8Array(width * height).fill(WHITE);
  cuts.forEach((cut, number) => {
    const top = topOf(number, cut);
    for (let row = 0; row < cut.height; row++) {
      const from = row * cut.width;
      data.set(cut.data.subarray(from, from + cut.width), (top + row) * width + AROUND.x);
    }
  });
  return { width, height, data };
}

/** The row of a page at which a line begins. */
function topOf(number: number, { height }: Grey): number {
  return AROUND.y + number * (HEIGHT + BETWEEN) + (HEIGHT - height >> 1);
}
