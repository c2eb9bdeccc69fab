/** Lines of text, found by the places of ink, without a model and for every script. */

import type { Region } from "../input.ts";
import type { Grey } from "./grey.ts";
import { piecesOf, TALLEST } from "./pieces.ts";

/** Pieces belong to one line if the gap between them is at most this share of their height. */
const GAP = 1.1;
/** The largest ratio of heights of letters in one line; the second one beside low letters, such as quotes. */
const RATIO = 2.2, LOW_RATIO = 3;
/** The height of low pieces, in pixels. */
const LOW = 7;
/** The distance from the picture's edge, in pixels, within which a stroke may be cut off by the edge. */
const EDGE = 3;
/** Rows of a band, by which lines that are near are found. */
const BAND = 32;

/** A line that grows, and the height of its letters. */
interface Growing extends Region {
  letters: number;
}

/** Finds the lines of text, in reading order. */
export function linesOf(grey: Grey): Region[] {
  const pieces = piecesOf(grey), bands = new Bands();
  for (const piece of pieces.filter(isLetter).sort((a, b) => a.x - b.x || a.y - b.y)) {
    const line = nearestLine(piece, bands.at(piece));
    if (line) grow(line, piece);
    bands.add(line ?? { ...piece, letters: piece.height });
  }
  for (const mark of pieces.filter((piece) => !isLetter(piece))) {
    const [line] = bands.at(mark).filter((line) => isMarkOf(mark, line))
      .sort((a, b) => outside(mark, a) - outside(mark, b));
    if (line) cover(line, mark);
  }
  const lines = [...bands.lines].filter(({ width, height }) =>
    width >= 3 && height >= 5 && height <= TALLEST
  );
  return lines.filter((line) => !lines.some((other) => isWithin(line, other)))
    .map(toEdge)
    .sort((a, b) => a.y - b.y || a.x - b.x);
}

/** Finds lines by the rows of pixels that they cross. */
class Bands {
  readonly lines = new Set<Growing>();
  readonly #bands = new Map<number, Set<Growing>>();

  add(line: Growing): void {
    this.lines.add(line);
    for (const band of bandsOf(line)) {
      const lines = this.#bands.get(band);
      if (lines) lines.add(line);
      else this.#bands.set(band, new Set([line]));
    }
  }

  /** The lines that may share rows with a piece. */
  at(piece: Region): Growing[] {
    const bands = bandsOf(piece).map((band) => this.#bands.get(band) ?? new Set<Growing>());
    return [...bands.length === 1 ? bands[0] : bands.reduce((all, band) => all.union(band))];
  }
}

function bandsOf({ y, height }: Region): number[] {
  const first = Math.floor(y / BAND), last = Math.floor((y + height) / BAND);
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/**
 * Tells whether a piece is large enough for a letter. Dots, dashes and accents alone make no line, nor do thin and
 * high pieces, such as the round side of a button.
 */
function isLetter({ width, height }: Region): boolean {
  return height >= 4 && width >= 2 && !(height >= 16 && width <= height / 3);
}

/** The line that a piece continues: the one with the least gap. */
function nearestLine(piece: Region, lines: Growing[]): Growing | undefined {
  let nearest: Growing | undefined, least = Infinity;
  for (const line of lines) {
    const gap = piece.x - line.x - line.width;
    if (gap < least && gap <= GAP * Math.max(8, line.letters) && isBeside(piece, line)) {
      nearest = line;
      least = gap;
    }
  }
  return nearest;
}

/** Tells whether a piece stands in the rows of a line, and is as high as its letters. */
function isBeside({ y, height }: Region, line: Growing): boolean {
  const shared = Math.min(line.y + line.height, y + height) - Math.max(line.y, y);
  const lower = Math.min(line.height, height);
  if (shared < lower * 0.5 || Math.max(line.height, height) > LOW_RATIO * Math.max(6, lower)) return false;
  const low = Math.min(line.letters, height), ratio = Math.max(line.letters, height) / low;
  return ratio <= RATIO || low <= LOW && shared >= lower * 0.9;
}

function grow(line: Growing, piece: Region): void {
  cover(line, piece);
  line.letters = Math.max(line.letters, Math.min(piece.height, line.letters * 1.5));
}

function cover(line: Region, { x, y, width, height }: Region): void {
  const right = Math.max(line.x + line.width, x + width), bottom = Math.max(line.y + line.height, y + height);
  line.x = Math.min(line.x, x);
  line.y = Math.min(line.y, y);
  line.width = right - line.x;
  line.height = bottom - line.y;
}

/** Tells whether a small piece is a mark of a line: a dot, an accent, a dash. */
function isMarkOf({ x, y, width, height }: Region, line: Growing): boolean {
  return x + width >= line.x - 4 && x <= line.x + line.width + 4 &&
    y >= line.y - Math.ceil(line.letters * 0.35) && y + height <= line.y + line.height + 2 &&
    width <= 2.5 * line.letters && (height < 16 || height <= 1.4 * line.letters);
}

/** Rows of a mark that are above or below a line. */
function outside({ y, height }: Region, line: Region): number {
  return Math.max(0, line.y - y) + Math.max(0, y + height - line.y - line.height);
}

/** A stroke at the left or the upper edge of the picture has an edge at its other side alone: the line has it whole. */
function toEdge({ x, y, width, height }: Region): Region {
  const left = x <= EDGE ? 0 : x, top = y <= EDGE ? 0 : y;
  return { x: left, y: top, width: x + width - left, height: y + height - top };
}

/** Tells whether a line is a part of another one, such as a letter that another letter encloses. */
function isWithin(line: Region, other: Region): boolean {
  return line !== other && line.x >= other.x && line.y >= other.y &&
    line.x + line.width <= other.x + other.width && line.y + line.height <= other.y + other.height &&
    (line.width < other.width || line.height < other.height);
}
