/** Pages: stacked lines, dark on white and of equal height, which the engine reads as one block of text. */

import { type Grey, normalised, type Word } from "./grey.ts";

// Splits words that the engine read as one at gaps as wide as a space.

/** Grey level below which a pixel is ink, in a line that is dark on white. */
const INK = 160;
/** Minimum width of a space: as a share of the line's height, and as a multiple of the median letter gap. */
const SPACE = 0.17, WIDER = 1.8;
/** A gap counts as a space from this share of the smallest gap between two words of the line. */
const LIKE_SPACES = 0.75;

/** Characters by their width in most fonts, relative to a small letter. */
const NARROW = /[ijl.,:;'|!I()[\]]/u, HALF = /[frt"-]/u, WIDE = /[mwMW@—…%]/u, CAPITAL = /[\p{Lu}]/u;

/** A gap without ink in a line, as columns. */
interface Gap {
  from: number;
  to: number;
}

/**
 * Splits words at gaps.
 * @param words The words of the line, from the left, with places in its pixels.
 * @param line Dark on white.
 */
export function parted(words: readonly Word[], line: Grey): Word[] {
  const gaps = gapsOf(line), widths = gaps.map(widthOf).sort((a, b) => a - b);
  const between = gaps.filter((gap) => !words.some((word) => isIn(gap, word))).map(widthOf);
  const least = Math.max(
    SPACE * line.height,
    WIDER * (widths[widths.length >> 1] ?? 0),
    between.length ? LIKE_SPACES * Math.min(...between) : 0,
  );
  return words.flatMap((word) => split(word, gaps.filter((gap) => isIn(gap, word) && widthOf(gap) >= least)));
}

const widthOf = ({ from, to }: Gap) => to - from;

/** Whether a gap is inside a word. */
function isIn({ from, to }: Gap, { x, width }: Word): boolean {
  return from > x + 1 && to < x + width - 1;
}

/** The columns without ink between columns with ink. */
function gapsOf({ width, height, data }: Grey): Gap[] {
  const gaps: Gap[] = [];
  let last = -1;
  for (let x = 0; x < width; x++) {
    let hasInk = false;
    for (let at = x; at < width * height && !hasInk; at += width) hasInk = data[at] < INK;
    if (!hasInk) continue;
    if (last >= 0 && x - last > 1) gaps.push({ from: last + 1, to: x });
    last = x;
  }
  return gaps;
}

/** Splits a word at gaps. Typical letter widths determine which letters are left of a gap. */
function split(word: Word, gaps: readonly Gap[]): Word[] {
  const letters = [...word.text];
  if (!gaps.length || letters.length < 2) return [word];
  const spaces = gaps.reduce((sum, gap) => sum + widthOf(gap), 0);
  const all = letters.reduce((sum, letter) => sum + usualWidth(letter), 0);
  const unit = (word.width - spaces) / all, parts: Word[] = [];
  let first = 0, x = word.x;
  for (const gap of gaps) {
    let number = first, end = x;
    while (number < letters.length - 1 && end + usualWidth(letters[number]) * unit / 2 < gap.from) {
      end += usualWidth(letters[number++]) * unit;
    }
    if (number === first) continue;
    parts.push({ ...word, text: letters.slice(first, number).join(""), x, width: gap.from - x });
    [first, x] = [number, gap.to];
  }
  parts.push({ ...word, text: letters.slice(first).join(""), x, width: word.x + word.width - x });
  return parts;
}

function usualWidth(letter: string): number {
  if (NARROW.test(letter)) return 0.5;
  if (HALF.test(letter)) return 0.7;
  if (WIDE.test(letter)) return 1.5;
  return CAPITAL.test(letter) ? 1.2 : 1;
}

/** Reads the words of a page. @param isLine Whether the page is a single line. */
type ReadPage = (page: Grey, isLine: boolean) => Word[];

/**
 * Height of a line with its margin on a page, in pixels: smaller lines are read worse, and larger lines no
 * better.
 */
const HEIGHT = 32;
/** White margin above and below a line, in screen pixels. */
const MARGIN = 2;
/** Maximum number of lines on a page. */
export const LINES = 30;
/** Pixels between lines, and around the page. */
const BETWEEN = 16, AROUND = { x: 20, y: 10 };
const WHITE = 255;

/**
 * Reads lines as one page, then reads each line with few words again on its own: if the engine sees columns,
 * it may skip whole lines.
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

/** A word within the cropped line; empty if no part of the word is in the line. */
function scaled({ x, y, width, height, ...word }: Word, line: Grey, cut: Grey): Word[] {
  const scale = line.height / cut.height;
  const left = Math.max(0, Math.floor(x * scale)), top = Math.max(0, Math.floor(y * scale));
  const right = Math.min(line.width, Math.ceil((x + width) * scale));
  const bottom = Math.min(line.height, Math.ceil((y + height) * scale));
  return right > left && bottom > top
    ? [{ ...word, x: left, y: top, width: right - left, height: bottom - top }]
    : [];
}

/** Minimum share of a line's width that its words must span for the line to count as completely read. */
const WHOLE = 0.75;

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

/** The row of a page where a line starts. */
function topOf(number: number, { height }: Grey): number {
  return AROUND.y + number * (HEIGHT + BETWEEN) + (HEIGHT - height >> 1);
}
