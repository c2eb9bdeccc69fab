/** Finds lines of text by the position of ink, without a model and for every script. */

import type { Region } from "../desktop/input.ts";
import type { Grey } from "./grey.ts";

// The pixels that may belong to letters: edges between light and dark, except borders.

/** Minimum difference between neighbouring pixels at an edge, out of 255. */
const INK_EDGE = 20;
/** Minimum length of straight edges that count as borders and separators, in pixels. */
const STRAIGHT = 34;

/** Kinds of edges: bit 0 for the edge to the left pixel, bit 1 for the edge to the pixel above. */
const LEFT = 1, ABOVE = 2;

/** One byte per pixel; 0 if there is no ink. */
function inkOf({ width, height, data }: Grey): Uint8Array {
  const ink = new Uint8Array(width * height), fall = new Int32Array(width);
  for (let y = 0, at = 0; y < height; y++) {
    let run = 0;
    for (let x = 0; x < width; x++, at++) {
      const value = data[at];
      let edges = 0;
      if (x > 0 && differs(value, data[at - 1])) {
        edges = LEFT;
        fall[x]++;
      } else if (fall[x]) endFall(ink, width, x, y, fall);
      if (y > 0 && differs(value, data[at - width])) {
        edges |= ABOVE;
        run++;
      } else if (run) {
        if (run >= STRAIGHT) clear(ink, at - run, run, 1, ABOVE);
        run = 0;
      }
      ink[at] = edges;
    }
    if (run >= STRAIGHT) clear(ink, at - run, run, 1, ABOVE);
  }
  for (let x = 0; x < width; x++) if (fall[x]) endFall(ink, width, x, height, fall);
  return ink;
}

function differs(a: number, b: number): boolean {
  const by = a - b;
  return by > INK_EDGE || by < -INK_EDGE;
}

/** Ends the vertical edge in a column that reached down to just above a row. */
function endFall(ink: Uint8Array, width: number, x: number, y: number, fall: Int32Array): void {
  if (fall[x] >= STRAIGHT) clear(ink, (y - fall[x]) * width + x, fall[x], width, LEFT);
  fall[x] = 0;
}

function clear(ink: Uint8Array, from: number, count: number, step: number, kind: number): void {
  for (let i = 0, at = from; i < count; i++, at += step) ink[at] &= ~kind;
}

// Pieces of ink: letters, or several touching letters.

/** Maximum distance in pixels between ink of one piece in a row. */
const PIECE_GAP = 2;
/** Maximum height of a piece that may be text, in pixels. */
const TALLEST = 64;
/** Distance from a frame's edge within which all its ink lies, in pixels. */
const FRAME = 4;
/**
 * A stroke has an edge on each side, so its ink is 2 pixels wide or high. Longer ink of one pixel is the edge
 * of an area, such as a selected row.
 */
const EDGE_LENGTH = 3;
/** Minimum side of a frame, in pixels, and the maximum share of ink inside it. */
const FRAME_SIDE = 13, FRAME_INK = 0.03;

/** Runs of ink, as arrays of numbers: a screen has 100,000. */
class Runs {
  /** Start, end and row of each run. */
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly row: number[] = [];
  /** Links each run to another run of its piece; the last one of a chain represents the piece. */
  readonly #parent: number[] = [];
  /** The edges of the pieces, at their representative runs. */
  readonly left: number[] = [];
  readonly right: number[] = [];
  readonly top: number[] = [];

  get count(): number {
    return this.from.length;
  }

  add(from: number, to: number, row: number): void {
    this.#parent.push(this.count);
    this.from.push(from);
    this.to.push(to);
    this.row.push(row);
    this.left.push(from);
    this.right.push(to);
    this.top.push(row);
  }

  /** The run that represents a run's piece. */
  pieceOf(run: number): number {
    const parent = this.#parent;
    while (parent[run] !== run) run = parent[run] = parent[parent[run]];
    return run;
  }

  join(a: number, b: number): void {
    const one = this.pieceOf(a), other = this.pieceOf(b);
    if (one === other) return;
    this.#parent[other] = one;
    this.left[one] = Math.min(this.left[one], this.left[other]);
    this.right[one] = Math.max(this.right[one], this.right[other]);
    this.top[one] = Math.min(this.top[one], this.top[other]);
  }
}

/** Finds the pieces that may be text, except frames, so that a button's text is found without its border. */
function piecesOf(grey: Grey): Region[] {
  const runs = runsOf(grey), { count } = runs;
  const bottom = new Int32Array(count), inner = new Int32Array(count);
  for (let run = 0; run < count; run++) bottom[runs.pieceOf(run)] = runs.row[run] + 1; // rows are ordered from the top
  for (let run = 0; run < count; run++) {
    const piece = runs.pieceOf(run), y = runs.row[run];
    const isInside = y >= runs.top[piece] + FRAME && y < bottom[piece] - FRAME &&
      runs.from[run] < runs.right[piece] - FRAME && runs.to[run] > runs.left[piece] + FRAME;
    if (isInside) inner[piece] += runs.to[run] - runs.from[run];
  }
  const pieces: Region[] = [];
  for (let run = 0; run < count; run++) {
    if (runs.pieceOf(run) !== run) continue;
    const x = runs.left[run], y = runs.top[run], width = runs.right[run] - x, height = bottom[run] - y;
    const isFrame = width >= FRAME_SIDE && height >= FRAME_SIDE &&
      inner[run] < FRAME_INK * (width - 2 * FRAME) * (height - 2 * FRAME);
    const isEdge = Math.min(width, height) === 1 && Math.max(width, height) > EDGE_LENGTH;
    if (height <= TALLEST && width * height >= 3 && !isFrame && !isEdge) pieces.push({ x, y, width, height });
  }
  return pieces;
}

/** Finds the runs of ink, and joins those that touch a run in the row above. */
function runsOf(grey: Grey): Runs {
  const { width, height } = grey, ink = inkOf(grey), runs = new Runs();
  let above = 0;
  for (let y = 0, at = 0; y < height; y++) {
    const first = runs.count;
    let from = -1, last = 0;
    for (let x = 0; x < width; x++, at++) {
      if (!ink[at]) continue;
      if (from >= 0 && x - last > PIECE_GAP) {
        runs.add(from, last + 1, y);
        from = x;
      } else if (from < 0) from = x;
      last = x;
    }
    if (from >= 0) runs.add(from, last + 1, y);
    joinRows(runs, above, first);
    above = first;
  }
  return runs;
}

/**
 * Joins the runs of the last row, starting at `first`, with those of the previous row, starting at `above`.
 */
function joinRows(runs: Runs, above: number, first: number): void {
  for (let run = first, upper = above; run < runs.count && upper < first;) {
    if (runs.from[run] <= runs.to[upper] && runs.from[upper] <= runs.to[run]) runs.join(run, upper);
    if (runs.to[run] < runs.to[upper]) run++;
    else upper++;
  }
}

/** Maximum gap between pieces of one line, as a multiple of their height. */
const GAP = 1.1;
/** Maximum ratio of letter heights in one line; the second one applies to low characters, such as quotes. */
const RATIO = 2.2, LOW_RATIO = 3;
/** Maximum height of low pieces, in pixels. */
const LOW = 7;
/** Distance from the picture's edge within which a stroke may be cut off, in pixels. */
const EDGE = 3;
/** Rows per band; bands index lines by position. */
const BAND = 32;

/** A growing line, and the height of its letters. */
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

/** Indexes lines by the rows of pixels that they cross. */
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
 * Whether a piece is large enough to be a letter. Dots, dashes and accents alone do not form a line; neither
 * do tall, thin pieces, such as the rounded side of a button.
 */
function isLetter({ width, height }: Region): boolean {
  return height >= 4 && width >= 2 && !(height >= 16 && width <= height / 3);
}

/** The line that a piece continues: the one with the smallest gap. */
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

/** Whether a piece is in the rows of a line, and as high as its letters. */
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

/** Whether a small piece is a mark in a line: a dot, an accent, a dash. */
function isMarkOf({ x, y, width, height }: Region, line: Growing): boolean {
  return x + width >= line.x - 4 && x <= line.x + line.width + 4 &&
    y >= line.y - Math.ceil(line.letters * 0.35) && y + height <= line.y + line.height + 2 &&
    width <= 2.5 * line.letters && (height < 16 || height <= 1.4 * line.letters);
}

/** Number of rows of a mark above or below a line. */
function outside({ y, height }: Region, line: Region): number {
  return Math.max(0, line.y - y) + Math.max(0, y + height - line.y - line.height);
}

/**
 * A stroke at the left or top edge of the picture has ink only on its other side: extends the line to the
 * edge.
 */
function toEdge({ x, y, width, height }: Region): Region {
  const left = x <= EDGE ? 0 : x, top = y <= EDGE ? 0 : y;
  return { x: left, y: top, width: x + width - left, height: y + height - top };
}

/** Whether a line is part of another one, such as a letter enclosed by another letter. */
function isWithin(line: Region, other: Region): boolean {
  return line !== other && line.x >= other.x && line.y >= other.y &&
    line.x + line.width <= other.x + other.width && line.y + line.height <= other.y + other.height &&
    (line.width < other.width || line.height < other.height);
}
