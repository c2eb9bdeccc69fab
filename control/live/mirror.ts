/** The picture that viewers were sent last, and how it differs from the screen. */

import { nodeModule } from "../../core/path.ts";
import type { Region } from "../desktop.ts";
import { type ExactChanges, RGB } from "./exact_changes.ts";
import { type Grid, TILE } from "./grid.ts";

/**
 * The width in pixels up to which a loop compares a row faster than memory is compared, whose every call takes 0.6 us: most
 * changes are as small as a button.
 */
const NARROW = 384;

/** Tells whether a row differs from one column to the one before another. */
type Differs = (row: number, left: number, right: number) => boolean;

/** The last picture that was taken over. */
export class Mirror {
  /** The pixels, 4 bytes each in rows without gaps: blue, green, red, and a byte without meaning. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The mirror's pixels, each as a word. */
  readonly words: Int32Array<ArrayBuffer>;
  /** A byte for each tile: 1 if the last {@linkcode update} changed the tile. */
  readonly changed: Uint8Array;

  constructor(readonly grid: Grid) {
    this.bytes = new Uint8Array(grid.width * grid.height * 4);
    this.words = new Int32Array(this.bytes.buffer);
    this.changed = new Uint8Array(grid.count);
  }

  /**
   * Takes over the part of a screen that may have changed. Wide rows are compared as memory, which takes a tenth of the
   * time of a loop; only rows that differ are compared tile by tile.
   *
   * Only the columns of the box are taken over: pixels outside of it may be newer than what the system has reported,
   * and would count as sent.
   * @param pixels The pixels of a screen of this size, as `LiveScreen.pixels`.
   * @param box Where pixels may have changed.
   * @param exact Receives the changed pixels; left out if they are not wanted.
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

  /** Compares parts of rows with those of a screen in a loop. */
  #byWords(words: Int32Array): Differs {
    const { words: mine, grid: { width } } = this;
    return (row, left, right) => {
      const end = row * width + right;
      for (let at = row * width + left; at < end; at++) if (words[at] !== mine[at]) return true;
      return false;
    };
  }

  /** Compares parts of rows with those of a screen as memory. */
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
   * Finds the end of a run of tiles that are marked like the tile at `left`: as changed, or not at all.
   */
  #endOf(tiles: number, left: number, right: number): number {
    const first = Math.floor(left / TILE), isKnown = this.changed[tiles + first];
    let tile = first + 1;
    while (tile * TILE < right && this.changed[tiles + tile] === isKnown) tile++;
    return Math.min(right, tile * TILE);
  }

  /** Notes the tiles of a row that differ between two columns, unless a difference is noted already. */
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
