/** Words that the engine read as one are split at gaps that are as wide as a space. */

import type { Grey } from "./grey.ts";
import type { Word } from "./word.ts";

/** Grey below which a pixel is ink, in a line that is dark on white. */
const INK = 160;
/** The least width of a space: as a share of the line's height, and as a multiple of the median gap between letters. */
const SPACE = 0.17, WIDER = 1.8;
/** The share of the smallest gap between two words of the line from which on a gap counts as a space. */
const LIKE_SPACES = 0.75;

/** Characters by their widths in most fonts, compared to that of a small letter. */
const NARROW = /[ijl.,:;'|!I()[\]]/u, HALF = /[frt"-]/u, WIDE = /[mwMW@—…%]/u, CAPITAL = /[\p{Lu}]/u;

/** A gap without ink in a line, in columns. */
interface Gap {
  from: number;
  to: number;
}

/**
 * Splits words at gaps.
 * @param words The words of the line, from its left, with places in its pixels.
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

/** Tells whether a gap has letters of a word on both sides. */
function isIn({ from, to }: Gap, { x, width }: Word): boolean {
  return from > x + 1 && to < x + width - 1;
}

/** The columns without ink, between those with some. */
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

/** Splits a word at gaps. The letters on the left of a gap are found by their widths in most fonts. */
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
