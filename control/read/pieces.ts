/** Pieces of ink: letters, or several letters that touch. */

import type { Region } from "../input.ts";
import type { Grey } from "./grey.ts";
import { inkOf } from "./ink.ts";

/** The distance in pixels up to which ink in a row belongs to one piece. */
const GAP = 2;
/** The tallest piece that may be text, in pixels. */
export const TALLEST = 64;
/** The distance from a frame's edge within which all its ink lies, in pixels. */
const FRAME = 4;
/**
 * A stroke has an edge on both of its sides, so that its ink is 2 pixels wide or high. Ink of one pixel that is longer than
 * this is the edge of an area, such as of a selected row.
 */
const EDGE_LENGTH = 3;
/** The least side of a frame, in pixels, and the most ink that it has inside, as a share. */
const FRAME_SIDE = 13, FRAME_INK = 0.03;

/** Runs of ink, as columns of numbers: a screen has 100,000. */
class Runs {
  /** The beginning, the end and the row of each run. */
  readonly from: number[] = [];
  readonly to: number[] = [];
  readonly row: number[] = [];
  /** Links each run to another run of its piece; the last one of a chain stands for the piece. */
  readonly #parent: number[] = [];
  /** The edges of the pieces, at the runs that stand for them. */
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

  /** The run that stands for the piece of a run. */
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

/** Finds the pieces that may be text, without frames, so that the text of a button is found without its border. */
export function piecesOf(grey: Grey): Region[] {
  const runs = runsOf(grey), { count } = runs;
  const bottom = new Int32Array(count), inner = new Int32Array(count);
  for (let run = 0; run < count; run++) bottom[runs.pieceOf(run)] = runs.row[run] + 1; // rows come from the top
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

/** Finds the runs of ink, and joins those that touch one of the row above. */
function runsOf(grey: Grey): Runs {
  const { width, height } = grey, ink = inkOf(grey), runs = new Runs();
  let above = 0;
  for (let y = 0, at = 0; y < height; y++) {
    const first = runs.count;
    let from = -1, last = 0;
    for (let x = 0; x < width; x++, at++) {
      if (!ink[at]) continue;
      if (from >= 0 && x - last > GAP) {
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

/** Joins the runs of the last row, which begin at `first`, with those of the row before, which begin at `above`. */
function joinRows(runs: Runs, above: number, first: number): void {
  for (let run = first, upper = above; run < runs.count && upper < first;) {
    if (runs.from[run] <= runs.to[upper] && runs.from[upper] <= runs.to[run]) runs.join(run, upper);
    if (runs.to[run] < runs.to[upper]) run++;
    else upper++;
  }
}
