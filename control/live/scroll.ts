/** Scrolled content: rows that are on the screen already, only higher or lower. Viewers copy them by themselves. */

import type { Region } from "../desktop/desktop.ts";

/** Content that moved: the rectangle now shows the old content from `dy` pixels below it (above if negative). */
export interface ScrollCopy extends Region {
  dy: number;
}

/** The smallest changed region in which scrolling is searched, in pixels. */
const LEAST = { width: 128, height: 96, rows: 24 } as const;
/** Rows that must agree on a shift, and their least share of those that changed. */
const VOTES = 12, SHARE = 1 / 4;
/** Pictures without scrolling after which the search for it becomes rarer, and the most pictures between two searches. */
const PATIENCE = 4, LONGEST_PAUSE = 16;
/** The distance of the pixels that a row's hash uses. */
const STEP = 7;
/** Width of the columns that are moved or left as a whole, in pixels. */
const COLUMN = 32;
/** Slots of the table of rows: a power of two above twice the rows of any screen. */
const SLOTS = 1 << 16, SLOT_BITS = 16;
/** Marks of a slot: free, or taken by several equal rows, which cannot tell a shift. */
const FREE = -1, SEVERAL = -2;

/** Finds scrolled content; keeps the hashes of a picture for the next picture. */
export class ScrollFinder {
  readonly #old: Int32Array<ArrayBuffer>;
  readonly #new: Int32Array<ArrayBuffer>;
  readonly #keys = new Int32Array(SLOTS);
  readonly #rows = new Int32Array(SLOTS);
  readonly #votes: Int32Array<ArrayBuffer>;
  #misses = 0;
  #pause = 0;
  /** The box that {@linkcode #new} was hashed for, if the next picture can use it. */
  #hashed = "";

  /** @param width The width of the screen, in pixels, as the height. */
  constructor(readonly width: number, readonly height: number) {
    this.#old = new Int32Array(height);
    this.#new = new Int32Array(height);
    this.#votes = new Int32Array(2 * height + 1);
  }

  /**
   * Looks for content that moved up or down.
   * @param before The last picture, a word a pixel.
   * @param now The screen.
   * @param box Where pixels may have changed.
   * @returns undefined if nothing moved, or the search was skipped.
   */
  find(before: Int32Array, now: Int32Array, box: Region): ScrollCopy | undefined {
    const isSmall = box.width < LEAST.width || box.height < LEAST.height;
    if (isSmall || this.#misses > PATIENCE && ++this.#pause < Math.min(LONGEST_PAUSE, this.#misses)) {
      this.#hashed = ""; // the picture changes without being hashed
      return undefined;
    }
    this.#pause = 0;
    this.#misses++;
    const dy = this.#shift(before, now, box);
    const copy = dy ? this.#moved(before, now, box, dy) : undefined;
    if (copy) this.#misses = 0;
    return copy;
  }

  /** The shift that most changed rows agree on; 0 if there is none. */
  #shift(before: Int32Array, now: Int32Array, box: Region): number {
    const key = `${box.x} ${box.y} ${box.width} ${box.height}`;
    if (key === this.#hashed) this.#old.set(this.#new.subarray(0, box.height));
    else this.#hash(before, this.#old, box);
    this.#hash(now, this.#new, box);
    this.#hashed = key;
    let changed = 0;
    for (let row = 0; row < box.height; row++) if (this.#old[row] !== this.#new[row]) changed++;
    if (changed < LEAST.rows) return 0;
    const dy = this.#elected(box.height);
    let fitting = 0;
    for (let row = Math.max(0, -dy); row < Math.min(box.height, box.height - dy); row++) {
      if (this.#fits(row, dy)) fitting++;
    }
    return fitting < changed * SHARE ? 0 : dy;
  }

  #hash(pixels: Int32Array, out: Int32Array, { x, y, width, height }: Region): void {
    for (let row = 0; row < height; row++) {
      const start = (y + row) * this.width + x, end = start + width;
      let hash = 0;
      for (let at = start; at < end; at += STEP) hash = Math.imul(hash ^ pixels[at] & 0xffffff, 0x01000193);
      out[row] = hash;
    }
  }

  /** Each new row votes for the shift to the only equal row among the old ones. */
  #elected(height: number): number {
    this.#rows.fill(FREE);
    this.#votes.fill(0);
    for (let row = 0; row < height; row++) {
      const slot = this.#slot(this.#old[row]);
      this.#keys[slot] = this.#old[row];
      this.#rows[slot] = this.#rows[slot] === FREE ? row : SEVERAL;
    }
    let best = 0, most = VOTES - 1;
    for (let row = 0; row < height; row++) {
      if (this.#old[row] === this.#new[row]) continue;
      const from = this.#rows[this.#slot(this.#new[row])];
      if (from < 0) continue;
      const votes = ++this.#votes[from - row + this.height];
      if (votes > most) [best, most] = [from - row, votes];
    }
    return best;
  }

  /** Finds the slot of a hash in the table, or the free slot for it. */
  #slot(hash: number): number {
    let slot = Math.imul(hash, 0x9e3779b1) >>> (32 - SLOT_BITS);
    while (this.#rows[slot] !== FREE && this.#keys[slot] !== hash) slot = (slot + 1) & (SLOTS - 1);
    return slot;
  }

  #fits(row: number, dy: number): boolean {
    return this.#old[row + dy] === this.#new[row] && this.#old[row] !== this.#new[row];
  }

  /** The rectangle whose content moved, rather than stayed. */
  #moved(before: Int32Array, now: Int32Array, box: Region, dy: number): ScrollCopy | undefined {
    let first = -1, last = -1;
    for (let row = Math.max(0, -dy); row < Math.min(box.height, box.height - dy); row++) {
      if (!this.#fits(row, dy)) continue;
      if (first < 0) first = row;
      last = row;
    }
    let left = -1, right = -1;
    for (let x = box.x; x < box.x + box.width; x += COLUMN) {
      const column = Math.min(x, box.x + box.width - COLUMN);
      if (!this.#columnMoved(before, now, column, box.y + first, box.y + last, dy)) continue;
      if (left < 0) left = column;
      right = column + COLUMN;
    }
    if (left < 0) return undefined;
    return { x: left, y: box.y + first, width: right - left, height: last + 1 - first, dy };
  }

  #columnMoved(
    before: Int32Array,
    now: Int32Array,
    column: number,
    first: number,
    last: number,
    dy: number,
  ): boolean {
    let moved = 0, stayed = 0;
    for (let row = first; row <= last; row += 3) {
      const at = row * this.width + column;
      const hash = sample(now, at);
      const isSame = sample(before, at) === hash, hasMoved = sample(before, at + dy * this.width) === hash;
      if (hasMoved && !isSame) moved++;
      else if (isSame && !hasMoved) stayed++;
    }
    return moved > stayed;
  }
}

/** A hash of some pixels of a column's row. */
function sample(pixels: Int32Array, at: number): number {
  let hash = 0;
  for (let i = 0; i < COLUMN - 2; i += 6) hash = Math.imul(hash, 31) + (pixels[at + i] & 0xffffff) | 0;
  return hash;
}

/**
 * Moves content in a picture, as viewers do.
 * @param words A word a pixel, in rows of `width`.
 */
export function applyScroll(words: Int32Array, width: number, copy: ScrollCopy): void {
  const move = (row: number) => {
    const to = row * width + copy.x, from = to + copy.dy * width;
    words.copyWithin(to, from, from + copy.width);
  };
  // Copies rows in the order in which none is overwritten before it is read.
  if (copy.dy > 0) { for (let row = copy.y; row < copy.y + copy.height; row++) move(row); }
  else for (let row = copy.y + copy.height - 1; row >= copy.y; row--) move(row);
}
