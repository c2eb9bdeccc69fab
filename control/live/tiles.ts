/** The screen as tiles, of which only those that changed are sent. */

import type { Frame, Region } from "../desktop.ts";

/** Width and height of a tile, in pixels; those at the right and bottom edge may be smaller. */
export const TILE = 64;

/** The last picture that was taken. */
export class TiledScreen {
  /** Pixels as 0x00RRGGBB words; before the first picture none is like any of a picture. */
  readonly pixels: Uint32Array<ArrayBuffer>;
  readonly columns: number;
  readonly rows: number;

  readonly width: number;
  readonly height: number;

  /** @param place Where it is on the desktop. */
  constructor(readonly place: Region) {
    const { width, height } = place;
    this.width = width;
    this.height = height;
    this.pixels = new Uint32Array(width * height).fill(0xffffffff);
    this.columns = Math.ceil(width / TILE);
    this.rows = Math.ceil(height / TILE);
  }

  /** Number of tiles. */
  get count(): number {
    return this.columns * this.rows;
  }

  /**
   * Takes a picture over.
   * @param frame Of this size.
   * @returns Numbers of the tiles that are not as they were, row by row.
   */
  update(frame: Frame): number[] {
    const from = new Uint32Array(frame.pixels.buffer, frame.pixels.byteOffset, frame.pixels.byteLength >> 2);
    const stride = frame.stride >> 2;
    const changed: number[] = [];
    for (let tile = 0; tile < this.count; tile++) {
      if (this.#updateTile(this.region(tile), from, stride)) changed.push(tile);
    }
    return changed;
  }

  /** Where a tile is. */
  region(tile: number): Region {
    const x = tile % this.columns * TILE, y = Math.floor(tile / this.columns) * TILE;
    return { x, y, width: Math.min(TILE, this.width - x), height: Math.min(TILE, this.height - y) };
  }

  #updateTile({ x, y, width, height }: Region, from: Uint32Array, stride: number): boolean {
    const { pixels } = this;
    let changed = false;
    for (let row = y; row < y + height; row++) {
      let source = row * stride + x;
      for (let at = row * this.width + x, end = at + width; at < end; at++, source++) {
        const rgb = from[source] & 0xffffff;
        if (pixels[at] === rgb) continue;
        pixels[at] = rgb;
        changed = true;
      }
    }
    return changed;
  }

  /**
   * The pixels of tiles, one after the other, each from its top row down.
   * @returns Red, green, blue, alpha a pixel.
   */
  content(tiles: readonly number[]): Uint8Array<ArrayBuffer> {
    const regions = tiles.map((tile) => this.region(tile));
    const words = new Uint32Array(regions.reduce((sum, { width, height }) => sum + width * height, 0));
    let at = 0;
    for (const { x, y, width, height } of regions) {
      for (let row = y; row < y + height; row++, at += width) {
        const start = row * this.width + x;
        for (let column = 0; column < width; column++) {
          const rgb = this.pixels[start + column];
          // Red, green, blue, alpha in memory is 0xAABBGGRR in a word.
          words[at + column] = 0xff000000 | (rgb & 0xff) << 16 | rgb & 0xff00 | rgb >> 16;
        }
      }
    }
    return new Uint8Array(words.buffer);
  }
}
