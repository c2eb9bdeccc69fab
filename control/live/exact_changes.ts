/**
 * The changed pixels of one reading of the screen, as a region for each tile; `observe` and `/api/changes` use them.
 */

import type { Region } from "../desktop.ts";
import { type Grid, TILE } from "./grid.ts";

/** The bits of a pixel that are compared; the fourth byte is undefined. */
export const RGB = 0xffffff;

/** Collects the changes of one reading of the screen. */
export class ExactChanges {
  /** The changed part of each tile: left, top, right and bottom edge; right is 0 where nothing changed. */
  readonly #edges: Int32Array<ArrayBuffer>;
  readonly #tiles: number[] = [];
  readonly #whole: Region[] = [];

  constructor(readonly grid: Grid) {
    this.#edges = new Int32Array(4 * grid.count);
  }

  /** Adds a whole region, such as one that scrolled. */
  add(region: Region): void {
    this.#whole.push(region);
  }

  /**
   * Adds the pixels of a row that differ.
   * @param before The picture before, a word a pixel.
   * @param now The screen.
   * @param left The first column, and `right` the one behind the last.
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
    edges[at + 3] = row + 1; // rows come from the top down
  }

  /**
   * Takes the added changes.
   * @returns 4 numbers a region: x, y, width, height.
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
