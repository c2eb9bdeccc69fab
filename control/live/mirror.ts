/** The last picture sent to viewers, and how it differs from the screen. */

import { nodeModule } from "../../core/path.ts";
import type { Region } from "../desktop/desktop.ts";

// The tiles of a screen, numbered row by row.

/** Tile width and height, in pixels; tiles at the right and bottom edges may be smaller. */
export const TILE = 64;

/** The division of a screen into tiles. */
export class Grid {
  readonly columns: number;
  readonly rows: number;

  /** @param width Width of the screen in pixels, like the height. */
  constructor(readonly width: number, readonly height: number) {
    this.columns = Math.ceil(width / TILE);
    this.rows = Math.ceil(height / TILE);
  }

  /** Number of tiles. */
  get count(): number {
    return this.columns * this.rows;
  }

  /** The tile that contains a pixel. */
  tileAt(x: number, y: number): number {
    return Math.floor(y / TILE) * this.columns + Math.floor(x / TILE);
  }

  /** The place of a tile on the screen. */
  region(tile: number): Region {
    const x = tile % this.columns * TILE, y = Math.floor(tile / this.columns) * TILE;
    return { x, y, width: Math.min(TILE, this.width - x), height: Math.min(TILE, this.height - y) };
  }

  /**
   * Marks all tiles that a region touches.
   * @param marks One byte per tile.
   */
  mark({ x, y, width, height }: Region, marks: Uint8Array): void {
    const left = Math.floor(x / TILE), right = Math.ceil((x + width) / TILE);
    for (let row = Math.floor(y / TILE); row * TILE < y + height; row++) {
      marks.fill(1, row * this.columns + left, row * this.columns + right);
    }
  }
}

// The changed pixels of one reading of the screen, as one region per tile; used by `observe` and
// `/api/changes`.

/** The bits of a pixel to compare; the fourth byte is undefined. */
const RGB = 0xffffff;

/** Collects the changes of one reading of the screen. */
export class ExactChanges {
  /** The changed part of each tile: left, top, right and bottom edge; right is 0 if nothing changed. */
  readonly #edges: Int32Array<ArrayBuffer>;
  readonly #tiles: number[] = [];
  readonly #whole: Region[] = [];

  constructor(readonly grid: Grid) {
    this.#edges = new Int32Array(4 * grid.count);
  }

  /** Adds a whole region, such as one that was scrolled. */
  add(region: Region): void {
    this.#whole.push(region);
  }

  /**
   * Adds the differing pixels of a row.
   * @param before The previous picture, one word per pixel.
   * @param now The screen.
   * @param left The first column; `right` is the column after the last.
   */
  addRow(before: Int32Array, now: Int32Array, row: number, left: number, right: number): void {
    const { width, columns } = this.grid, start = row * width, tiles = Math.floor(row / TILE) * columns;
    for (let column = left; column < right;) {
      const tile = Math.floor(column / TILE), end = Math.min(right, (tile + 1) * TILE);
      let first = start + column, last = start + end - 1;
      while (first <= last && ((before[first] ^ now[first]) & RGB) === 0) first++;
      if (first <= last) {
        while (((before[last] ^ now[last]) & RGB) === 0) last--;
        this.#extend(tiles + tile, first - start, row, last - start + 1);
      }
      column = end;
    }
  }

  #extend(tile: number, left: number, row: number, right: number): void {
    const edges = this.#edges, at = 4 * tile;
    if (edges[at + 2] === 0) {
      this.#tiles.push(tile);
      edges.set([left, row, right, row + 1], at);
      return;
    }
    edges[at] = Math.min(edges[at], left);
    edges[at + 2] = Math.max(edges[at + 2], right);
    edges[at + 3] = row + 1; // rows are processed from the top down
  }

  /**
   * Returns the added changes and resets them.
   * @returns 4 numbers per region: x, y, width, height.
   */
  take(): Int32Array<ArrayBuffer> {
    const regions = new Int32Array(4 * (this.#tiles.length + this.#whole.length)), edges = this.#edges;
    let at = 0;
    for (const tile of this.#tiles) {
      const left = edges[4 * tile], top = edges[4 * tile + 1];
      regions[at] = left;
      regions[at + 1] = top;
      regions[at + 2] = edges[4 * tile + 2] - left;
      regions[at + 3] = edges[4 * tile + 3] - top;
      edges[4 * tile + 2] = 0;
      at += 4;
    }
    for (const { x, y, width, height } of this.#whole) {
      regions.set([x, y, width, height], at);
      at += 4;
    }
    this.#tiles.length = this.#whole.length = 0;
    return regions;
  }
}

/**
 * Width in pixels up to which a loop compares a row faster than a memory comparison, which takes 0.6 us per
 * call: most changes are as small as a button.
 */
const NARROW = 384;

/** Whether a row differs between two columns, the second one excluded. */
type Differs = (row: number, left: number, right: number) => boolean;

/** The last picture that was applied. */
export class Mirror {
  /** The pixels, 4 bytes each in rows without gaps: blue, green, red, and an unused byte. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The mirror's pixels as words. */
  readonly words: Int32Array<ArrayBuffer>;
  /** One byte per tile: 1 if the last {@linkcode update} changed the tile. */
  readonly changed: Uint8Array;

  constructor(readonly grid: Grid) {
    this.bytes = new Uint8Array(grid.width * grid.height * 4);
    this.words = new Int32Array(this.bytes.buffer);
    this.changed = new Uint8Array(grid.count);
  }

  /**
   * Applies the part of a screen that may have changed. Wide rows are compared as memory, in a tenth of the
   * time that a loop takes; only rows that differ are compared tile by tile.
   *
   * Only the columns of the box are applied: pixels outside it may be newer than what the system has
   * reported, and would count as sent.
   * @param pixels The pixels of a screen of this size, as in `LiveScreen.pixels`.
   * @param box Where pixels may have changed.
   * @param exact Receives the changed pixels; left out if they are not needed.
   * @returns Whether a tile changed.
   */
  update(
    pixels: Uint8Array<ArrayBuffer>,
    { x, y, width, height }: Region,
    exact?: ExactChanges,
  ): boolean {
    const words = new Int32Array(pixels.buffer, pixels.byteOffset, pixels.length >> 2);
    const { width: across, columns } = this.grid, rowBytes = across * 4, right = x + width;
    const differs = width <= NARROW ? this.#byWords(words) : this.#byMemory(pixels);
    let any = false;
    this.changed.fill(0);
    for (let row = y; row < y + height; row++) {
      if (!differs(row, x, right)) continue;
      const tiles = Math.floor(row / TILE) * columns;
      exact?.addRow(this.words, words, row, x, right);
      for (let left = x; left < right;) {
        const isKnown = this.changed[tiles + Math.floor(left / TILE)], end = this.#endOf(tiles, left, right);
        if (isKnown) any = true;
        else if (differs(row, left, end) && this.#markRow(words, row, left, end)) any = true;
        left = end;
      }
      const from = row * rowBytes + x * 4;
      this.bytes.set(pixels.subarray(from, from + width * 4), from);
    }
    return any;
  }

  /** Compares parts of rows with those of a screen, in a loop. */
  #byWords(words: Int32Array): Differs {
    const { words: mine, grid: { width } } = this;
    return (row, left, right) => {
      const end = row * width + right;
      for (let at = row * width + left; at < end; at++) if (words[at] !== mine[at]) return true;
      return false;
    };
  }

  /** Compares parts of rows with those of a screen, as memory. */
  #byMemory(pixels: Uint8Array<ArrayBuffer>): Differs {
    const { Buffer } = nodeModule("node:buffer"), rowBytes = this.grid.width * 4;
    const screen = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.length);
    const mirror = Buffer.from(this.bytes.buffer);
    return (row, left, right) => {
      const from = row * rowBytes + left * 4, to = row * rowBytes + right * 4;
      return screen.compare(mirror, from, to, from, to) !== 0;
    };
  }

  /**
   * Finds the end of a run of tiles with the same mark as the tile at `left`: changed or unchanged.
   */
  #endOf(tiles: number, left: number, right: number): number {
    const first = Math.floor(left / TILE), isKnown = this.changed[tiles + first];
    let tile = first + 1;
    while (tile * TILE < right && this.changed[tiles + tile] === isKnown) tile++;
    return Math.min(right, tile * TILE);
  }

  /** Marks the tiles of a row that differ between two columns, unless they are already marked. */
  #markRow(words: Int32Array, row: number, left: number, right: number): boolean {
    const { words: mine, changed, grid: { width, columns } } = this;
    const start = row * width, tiles = Math.floor(row / TILE) * columns;
    let any = false;
    for (let column = left; column < right;) {
      const tile = Math.floor(column / TILE), end = Math.min(right, (tile + 1) * TILE);
      let at = start + column;
      while (at < start + end && ((words[at] ^ mine[at]) & RGB) === 0) at++;
      if (at < start + end) any = true;
      changed[tiles + tile] = at < start + end ? 1 : 0;
      column = end;
    }
    return any;
  }
}

// Scrolled content: rows that are already on the screen, only higher or lower. Viewers copy them themselves.

/**
 * Content that moved: the rectangle now shows the old content from `dy` pixels below it (above it if
 * negative).
 */
export interface ScrollCopy extends Region {
  dy: number;
}

/**
 * Minimum size of a changed region in which scrolling is searched, in pixels, and its minimum number of rows.
 */
const LEAST = { width: 128, height: 96, rows: 24 } as const;
/** Minimum number of rows that agree on a shift, and their minimum share of the changed rows. */
const VOTES = 12, SHARE = 1 / 4;
/**
 * Number of pictures without scrolling after which searches become rarer, and the maximum number of pictures
 * between searches.
 */
const PATIENCE = 4, LONGEST_PAUSE = 16;
/** Distance between the pixels that a row's hash uses. */
const STEP = 7;
/** Width of the columns that move or stay as a whole, in pixels. */
const COLUMN = 32;
/** Slots of the row table: a power of two, more than twice the rows of any screen. */
const SLOTS = 1 << 16, SLOT_BITS = 16;
/** Marks of a slot: free, or shared by several equal rows, which cannot determine a shift. */
const FREE = -1, SEVERAL = -2;

/** Finds scrolled content; stores the hashes of a picture for the next one. */
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

  /** @param width Width of the screen in pixels, like the height. */
  constructor(readonly width: number, readonly height: number) {
    this.#old = new Int32Array(height);
    this.#new = new Int32Array(height);
    this.#votes = new Int32Array(2 * height + 1);
  }

  /**
   * Searches for content that moved up or down.
   * @param before The previous picture, one word per pixel.
   * @param now The screen.
   * @param box Where pixels may have changed.
   * @returns undefined if nothing moved or the search was skipped.
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

  /** Each new row votes for its shift from the only equal old row. */
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

  /** Finds the slot of a hash in the table, or a free slot for it. */
  #slot(hash: number): number {
    let slot = Math.imul(hash, 0x9e3779b1) >>> (32 - SLOT_BITS);
    while (this.#rows[slot] !== FREE && this.#keys[slot] !== hash) slot = (slot + 1) & (SLOTS - 1);
    return slot;
  }

  #fits(row: number, dy: number): boolean {
    return this.#old[row + dy] === this.#new[row] && this.#old[row] !== this.#new[row];
  }

  /** The rectangle whose content moved rather than stayed. */
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

/** Hashes some pixels of one row of a column. */
function sample(pixels: Int32Array, at: number): number {
  let hash = 0;
  for (let i = 0; i < COLUMN - 2; i += 6) hash = Math.imul(hash, 31) + (pixels[at + i] & 0xffffff) | 0;
  return hash;
}

/**
 * Moves content in a picture, as viewers do.
 * @param words One word per pixel, in rows of `width`.
 */
export function applyScroll(words: Int32Array, width: number, copy: ScrollCopy): void {
  const move = (row: number) => {
    const to = row * width + copy.x, from = to + copy.dy * width;
    words.copyWithin(to, from, from + copy.width);
  };
  // Copies rows in an order in which none is overwritten before it is read.
  if (copy.dy > 0) { for (let row = copy.y; row < copy.y + copy.height; row++) move(row); }
  else for (let row = copy.y + copy.height - 1; row >= copy.y; row--) move(row);
}
