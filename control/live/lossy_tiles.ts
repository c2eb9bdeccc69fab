/**
 * The tiles that a viewer has with loss: a JPEG differs a little from the screen, and is sent again without loss once
 * the tile rests.
 */

import { intersection, type Region } from "../input.ts";
import type { Grid } from "./grid.ts";
import type { ScrollCopy } from "./scroll.ts";

/** The most tiles that are sent again without loss at the same time. */
const AT_ONCE = 96;

/** The lossy tiles of one viewer. */
export class LossyTiles {
  readonly #lossy: Uint8Array<ArrayBuffer>;
  #count = 0;

  constructor(readonly grid: Grid) {
    this.#lossy = new Uint8Array(grid.count);
  }

  /** Tells whether any tile is lossy. */
  get pending(): boolean {
    return this.#count > 0;
  }

  /** Notes that a tile is sent, with loss or without. */
  set(tile: number, isLossy: boolean): void {
    const value = isLossy ? 1 : 0;
    this.#count += value - this.#lossy[tile];
    this.#lossy[tile] = value;
  }

  /**
   * Follows a scroll that the viewer draws by itself: its lossy tiles move with the content.
   * @param touched Called with each tile that becomes lossy by the scroll.
   */
  moved(copy: ScrollCopy, touched: (tile: number) => void): void {
    if (!this.pending) return;
    for (const [tile, isLossy] of movedMarks(this.#lossy, this.grid, copy)) {
      this.set(tile, isLossy);
      if (isLossy) touched(tile);
    }
  }

  /**
   * Takes the tiles that rest now: they are sent again without loss.
   * @param rests Tells whether a tile rests.
   * @param most How many at most.
   * @returns Their numbers.
   */
  rested(rests: (tile: number) => boolean, most: number): number[] {
    const tiles: number[] = [];
    if (!this.pending) return tiles;
    for (let tile = this.#lossy.indexOf(1); tile >= 0; tile = this.#lossy.indexOf(1, tile + 1)) {
      if (tiles.length >= Math.min(AT_ONCE, most)) break;
      if (!rests(tile)) continue;
      this.set(tile, false);
      tiles.push(tile);
    }
    return tiles;
  }
}

/**
 * The marks of tiles after a scroll, where marks move with the content.
 * @param marks 1 for each tile that is marked, before the scroll.
 * @returns Those of the tiles that the scroll touches.
 */
export function movedMarks(
  marks: Uint8Array,
  grid: Grid,
  { dy, ...region }: ScrollCopy,
): [tile: number, isMarked: boolean][] {
  const touched = new Uint8Array(grid.count), moved: [number, boolean][] = [];
  grid.mark(region, touched);
  for (let tile = touched.indexOf(1); tile >= 0; tile = touched.indexOf(1, tile + 1)) {
    const whole = grid.region(tile), filled: Region = intersection(whole, region)!;
    const isCovered = filled.width === whole.width && filled.height === whole.height;
    const top = filled.y + dy, sources = [top, top + filled.height - 1];
    const isMarked = marks[tile] === 1 && !isCovered ||
      sources.some((y) => marks[grid.tileAt(filled.x, y)] === 1);
    moved.push([tile, isMarked]);
  }
  return moved;
}
