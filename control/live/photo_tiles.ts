/**
 * The choice of tiles that go as JPEG: those that change often and look like a photograph. A JPEG differs a little from
 * the screen, and is sent again without loss once it rests.
 */

import { intersection, type Region } from "../input.ts";
import { type Grid, TILE } from "./grid.ts";
import type { ScrollCopy } from "./scroll.ts";

/** Change rate of a tile: its growth by a change, its maximum, and the rate above which the tile counts as video. It falls at rest. */
const CHANGE_RATE = { change: 16, most: 255, video: 40 } as const;
/** How long a tile rests before it is sent without loss, in milliseconds, and how many of them go at once. */
const REST_MS = 200, AT_ONCE = 96;
/** A tile is photographic if more than this share of its sampled pixels have a colour that the last ones had not. */
const NEW_COLORS = 1 / 5;
/** Distance of sampled rows, in rows. */
const SAMPLED = 8;
/** The least share of photographic tiles in a rectangle that goes as one JPEG. */
const FILLED = 1 / 2;

/** Changes and loss of each tile. */
export class PhotoTiles {
  readonly #changeRate: Uint8Array;
  /** 1 for tiles that viewers have with loss. */
  readonly #lossy: Uint8Array;
  /** When each tile changed last, in milliseconds. */
  readonly #changedAt: Float64Array;
  readonly #chosen: Uint8Array;
  readonly #recent = new Int32Array(64);
  #lossyCount = 0;

  /** @param words The picture, a word a pixel. */
  constructor(readonly grid: Grid, readonly words: Int32Array) {
    this.#changeRate = new Uint8Array(grid.count);
    this.#lossy = new Uint8Array(grid.count);
    this.#chosen = new Uint8Array(grid.count);
    this.#changedAt = new Float64Array(grid.count);
  }

  /** Tells whether viewers have a tile with loss. */
  get pending(): boolean {
    return this.#lossyCount > 0;
  }

  /**
   * Notes a look at the screen.
   * @param changed 1 for each tile that changed.
   * @param now In milliseconds.
   */
  note(changed: Uint8Array, now: number): void {
    const rate = this.#changeRate;
    for (let tile = 0; tile < rate.length; tile++) {
      if (changed[tile]) {
        rate[tile] = Math.min(CHANGE_RATE.most, rate[tile] + CHANGE_RATE.change);
        this.#changedAt[tile] = now;
      } else if (rate[tile] && now - this.#changedAt[tile] > REST_MS) rate[tile]--;
    }
  }

  /**
   * Follows a scroll that viewers draw by themselves: their tiles of lossy pictures move with the content.
   * @param now In milliseconds.
   */
  moved({ dy, ...region }: ScrollCopy, now: number): void {
    if (!this.pending) return;
    const before = this.#lossy.slice(), touched = new Uint8Array(this.grid.count);
    this.grid.mark(region, touched);
    for (let tile = touched.indexOf(1); tile >= 0; tile = touched.indexOf(1, tile + 1)) {
      const whole = this.grid.region(tile), filled = intersection(whole, region)!;
      const isCovered = filled.width === whole.width && filled.height === whole.height;
      const top = filled.y + dy, sources = [top, top + filled.height - 1];
      const isLossy = before[tile] && !isCovered ||
        sources.some((y) => before[this.grid.tileAt(filled.x, y)]);
      this.#setLossy(tile, isLossy ? 1 : 0);
      if (isLossy) this.#changedAt[tile] = now;
    }
  }

  /** Notes that all viewers have a tile without loss, or lack it. */
  sent(tile: number): void {
    this.#setLossy(tile, 0);
  }

  /**
   * Marks tiles that rest and are to be sent again without loss.
   * @param now In milliseconds.
   * @param mark Called with each.
   */
  rested(now: number, mark: (tile: number) => void): void {
    if (!this.pending) return;
    let count = 0;
    for (let tile = 0; tile < this.#lossy.length && count < AT_ONCE; tile++) {
      if (!this.#lossy[tile] || now - this.#changedAt[tile] < REST_MS) continue;
      this.#setLossy(tile, 0);
      this.#changeRate[tile] = 0;
      mark(tile);
      count++;
    }
  }

  /**
   * Chooses what goes as JPEG, and notes that viewers then have it with loss.
   * @param wanted 1 for each tile that is to be sent.
   * @returns Rectangles of whole tiles, in numbers of tiles; all their tiles are sent with them.
   */
  choose(wanted: Uint8Array): Region[] {
    const { columns, rows } = this.grid, chosen = this.#chosen.fill(0);
    let left = columns, top = rows, right = -1, bottom = -1, count = 0;
    for (let tile = 0; tile < wanted.length; tile++) {
      if (!wanted[tile] || this.#changeRate[tile] <= CHANGE_RATE.video || !this.#isPhotographic(tile)) {
        continue;
      }
      const column = tile % columns, row = Math.floor(tile / columns);
      chosen[tile] = 1;
      count++;
      left = Math.min(left, column);
      right = Math.max(right, column);
      top = Math.min(top, row);
      bottom = Math.max(bottom, row);
    }
    if (count < 2) return [];
    const size = (right - left + 1) * (bottom - top + 1);
    if (count >= size * FILLED) {
      for (let row = top; row <= bottom; row++) {
        chosen.fill(1, row * columns + left, row * columns + right + 1);
      }
    }
    chosen.forEach((isChosen, tile) => isChosen && this.#setLossy(tile, 1));
    return rectangles(chosen, columns, rows);
  }

  #setLossy(tile: number, value: 0 | 1): void {
    this.#lossyCount += value - this.#lossy[tile];
    this.#lossy[tile] = value;
  }

  #isPhotographic(tile: number): boolean {
    const { x, y, width, height } = this.grid.region(tile), words = this.words;
    const recent = this.#recent.fill(-1);
    let fresh = 0, count = 0;
    for (let row = y + Math.min(3, height - 1); row < y + height; row += SAMPLED) {
      for (let at = row * this.grid.width + x, end = at + width; at < end; at++, count++) {
        const rgb = words[at] & 0xffffff, slot = Math.imul(rgb, 0x9e3779b1) >>> 26;
        if (recent[slot] === rgb) continue;
        recent[slot] = rgb;
        fresh++;
      }
    }
    return fresh > count * NEW_COLORS;
  }
}

/** Covers marked tiles with rectangles; takes the marks away. */
function rectangles(marks: Uint8Array, columns: number, rows: number): Region[] {
  const found: Region[] = [];
  for (let tile = marks.indexOf(1); tile >= 0; tile = marks.indexOf(1, tile + 1)) {
    const x = tile % columns, y = Math.floor(tile / columns);
    const isMarked = (row: number, from: number, to: number) =>
      marks.subarray(row * columns + from, row * columns + to).every((mark) => mark === 1);
    let width = 1, height = 1;
    while (x + width < columns && marks[tile + width]) width++;
    while (y + height < rows && isMarked(y + height, x, x + width)) height++;
    for (let row = y; row < y + height; row++) marks.fill(0, row * columns + x, row * columns + x + width);
    found.push({ x, y, width, height });
  }
  return found;
}

/** A rectangle of tiles as one of pixels, cut at the edge of the screen. */
export function pixelsOf({ x, y, width, height }: Region, grid: Grid): Region {
  const left = x * TILE, top = y * TILE;
  return {
    x: left,
    y: top,
    width: Math.min(width * TILE, grid.width - left),
    height: Math.min(height * TILE, grid.height - top),
  };
}
