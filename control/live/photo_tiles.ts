/** The choice of tiles that go as JPEG: those that change often and look like a photograph. */

import type { Region } from "../desktop/input.ts";
import { type Grid, TILE } from "./mirror.ts";

/**
 * Constants of a tile's change rate: the growth at a change, the maximum, and the rate above which the tile counts as
 * video. The rate falls at rest.
 */
const CHANGE_RATE = { change: 16, most: 255, video: 40 } as const;
/** The time without a change after which a tile rests, in milliseconds. */
const REST_MS = 200;
/**
 * A tile is photographic if more than this share of its sampled pixels have a colour that the pixels before them did
 * not have.
 */
const NEW_COLORS = 1 / 5;
/** Distance of sampled rows, in rows. */
const SAMPLED = 8;
/** The least share of photographic tiles in a rectangle that goes as one JPEG. */
const FILLED = 1 / 2;

/** Changes of each tile. */
export class PhotoTiles {
  readonly #changeRate: Uint8Array;
  /** The time of each tile's last change, in milliseconds. */
  readonly #changedAt: Float64Array;
  readonly #chosen: Uint8Array;
  readonly #recent = new Int32Array(64);

  /** @param words The picture, a word a pixel. */
  constructor(readonly grid: Grid, readonly words: Int32Array) {
    this.#changeRate = new Uint8Array(grid.count);
    this.#chosen = new Uint8Array(grid.count);
    this.#changedAt = new Float64Array(grid.count);
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

  /** Notes that other content came to a tile by a scroll. @param now In milliseconds. */
  moved(tile: number, now: number): void {
    this.#changedAt[tile] = now;
  }

  /** Whether a tile has not changed for a while. @param now In milliseconds. */
  rests(tile: number, now: number): boolean {
    return now - this.#changedAt[tile] >= REST_MS;
  }

  /** Notes that a resting tile is sent without loss: the film that it showed has ended. */
  refined(tile: number): void {
    this.#changeRate[tile] = 0;
  }

  /**
   * Chooses the tiles that are sent as JPEG.
   * @param wanted 1 for each tile that is to be sent.
   * @param isHurried Also takes photographs that have not changed before.
   * @returns Rectangles of whole tiles, in numbers of tiles; all their tiles are sent with them.
   */
  choose(wanted: Uint8Array, isHurried = false): Region[] {
    const { columns, rows } = this.grid, chosen = this.#chosen.fill(0);
    let left = columns, top = rows, right = -1, bottom = -1, count = 0;
    for (let tile = 0; tile < wanted.length; tile++) {
      if (!wanted[tile] || !isHurried && this.#changeRate[tile] <= CHANGE_RATE.video) continue;
      if (!this.#isPhotographic(tile)) continue;
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
    return rectangles(chosen, columns, rows);
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

/** Covers marked tiles with rectangles, in numbers of tiles; takes the marks away. */
export function rectangles(marks: Uint8Array, columns: number, rows: number): Region[] {
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
