/** The tiles of a screen, numbered row by row. */

import type { Region } from "../desktop.ts";

/** Width and height of a tile, in pixels; those at the right and bottom edge may be smaller. */
export const TILE = 64;

/** The division of a screen into tiles. */
export class Grid {
  readonly columns: number;
  readonly rows: number;

  /** @param width The width of the screen, in pixels, as the height. */
  constructor(readonly width: number, readonly height: number) {
    this.columns = Math.ceil(width / TILE);
    this.rows = Math.ceil(height / TILE);
  }

  /** Number of tiles. */
  get count(): number {
    return this.columns * this.rows;
  }

  /** The tile that a pixel is in. */
  tileAt(x: number, y: number): number {
    return Math.floor(y / TILE) * this.columns + Math.floor(x / TILE);
  }

  /** The place of a tile on the screen. */
  region(tile: number): Region {
    const x = tile % this.columns * TILE, y = Math.floor(tile / this.columns) * TILE;
    return { x, y, width: Math.min(TILE, this.width - x), height: Math.min(TILE, this.height - y) };
  }

  /**
   * Sets the numbers of all tiles that a region touches.
   * @param marks A byte a tile.
   */
  mark({ x, y, width, height }: Region, marks: Uint8Array): void {
    const left = Math.floor(x / TILE), right = Math.ceil((x + width) / TILE);
    for (let row = Math.floor(y / TILE); row * TILE < y + height; row++) {
      marks.fill(1, row * this.columns + left, row * this.columns + right);
    }
  }
}
