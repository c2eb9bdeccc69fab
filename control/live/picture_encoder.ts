/** Encodes the tiles that viewers lack, once for all viewers that get the same picture. */

import type { Point, Region } from "../desktop.ts";
import { type Grid, TILE } from "./grid.ts";
import type { Allowance } from "./link.ts";
import { encodePicture, type PictureParts } from "./message.ts";
import type { Mirror } from "./mirror.ts";
import { type PhotoTiles, pixelsOf } from "./photo_tiles.ts";
import type { LiveScreen } from "./screen.ts";
import type { ScrollCopy } from "./scroll.ts";
import type { Thrift } from "./thrift.ts";
import { TileWriter } from "./tile_writer.ts";

/** The estimated bytes of a tile before it is encoded. */
const TILE_BYTES = 1024;
/** The share of the bytes for JPEG files if there are tiles, too. */
const JPEG_SHARE = 3 / 4;

/** A picture for some viewers. */
export interface Wanted {
  /** A byte for each tile: before the encoding 1 if the tile is to be sent, afterwards 1 if it was encoded. */
  tiles: Uint8Array;
  copy?: ScrollCopy;
  pointer?: PictureParts["pointer"];
  allowance: Allowance;
  /** The byte limits of the only viewer, where bytes count. */
  thrift: Thrift;
}

/** Makes messages of a picture. */
export class PictureEncoder {
  readonly #tiles: TileWriter;

  constructor(
    readonly grid: Grid,
    readonly mirror: Mirror,
    readonly photoTiles: PhotoTiles,
    readonly screen: Pick<LiveScreen, "jpeg">,
  ) {
    this.#tiles = new TileWriter(mirror.words, grid.width);
  }

  /**
   * Encodes a picture.
   * @returns The message, and the tiles in it that are with loss and those that are without.
   */
  encode({ tiles, copy, pointer, allowance, thrift }: Wanted): {
    message: Uint8Array<ArrayBuffer>;
    lossy: number[];
    exact: number[];
  } {
    const { making, picture } = allowance, left = tiles.slice();
    const { jpegs, lossy } = making === "sharp"
      ? { jpegs: [], lossy: [] }
      : this.#jpegs(left, making === "within" ? { thrift, bytes: picture } : undefined);
    const used = jpegs.reduce((sum, { file }) => sum + file.length, 0);
    const { runs, exact } = this.#runs((write) => {
      if (making === "within") return thrift.fit(left, picture, used, write);
      for (let tile = left.indexOf(1); tile >= 0; tile = left.indexOf(1, tile + 1)) write(tile);
    });
    const message = encodePicture({ copy, jpegs, runs, pointer, tiles: this.#tiles.bytes });
    thrift.deflated(this.#tiles.length, message.length - used);
    tiles.fill(0);
    for (const tile of [...lossy, ...exact]) tiles[tile] = 1;
    return { message, lossy, exact };
  }

  /**
   * Makes JPEG files where that pays, and unmarks their tiles.
   * @param within How many bytes they may have, where that counts.
   */
  #jpegs(left: Uint8Array, within: { thrift: Thrift; bytes: number } | undefined) {
    const { grid, mirror, screen: { jpeg } } = this, lossy: number[] = [];
    if (!jpeg) return { jpegs: [], lossy };
    const count = left.reduce((sum, isLeft) => sum + isLeft, 0);
    const isHurried = within !== undefined && count * TILE_BYTES > within.bytes;
    const regions = this.photoTiles.choose(left, isHurried).map((tiles) => {
      for (let row = tiles.y; row < tiles.y + tiles.height; row++) {
        const start = row * grid.columns + tiles.x;
        left.fill(0, start, start + tiles.width);
        for (let tile = start; tile < start + tiles.width; tile++) lossy.push(tile);
      }
      return pixelsOf(tiles, grid);
    });
    if (!within) {
      const file = (region: Region) => jpeg(mirror.bytes, grid.width * 4, region).slice();
      return { jpegs: regions.map((region) => ({ region, file: file(region) })), lossy };
    }
    const bytes = within.bytes * (left.includes(1) ? JPEG_SHARE : 1);
    return { jpegs: within.thrift.jpegs(jpeg, mirror.bytes, grid.width, regions, bytes), lossy };
  }

  /**
   * Writes tiles, those side by side together.
   * @param choose Gets the function that writes a tile, which returns how many bytes were written so far.
   */
  #runs(choose: (write: (tile: number) => number) => void): { runs: Region[]; exact: number[] } {
    const runs: Region[] = [], exact: number[] = [];
    this.#tiles.begin();
    choose((tile) => {
      const region = this.grid.region(tile), last = runs.at(-1);
      this.#tiles.write(region);
      exact.push(tile);
      const isNext = last?.y === region.y && last.x + last.width === region.x && last.width % TILE === 0;
      if (isNext) last.width += region.width;
      else runs.push(region);
      return this.#tiles.length;
    });
    return { runs, exact };
  }
}

/** Encodes the pointer for viewers: its place, and its picture if some viewers do not have it. */
export function pointerParts(
  pointer: LiveScreen["pointer"],
  viewers: readonly { hasPointer: { place: boolean; image: boolean } }[],
): { at: Point; image?: NonNullable<LiveScreen["pointer"]>["image"] } | undefined {
  if (!pointer || viewers.every(({ hasPointer }) => hasPointer.place && hasPointer.image)) return undefined;
  const { at, image } = pointer;
  return {
    at: { x: at.x - image.hot.x, y: at.y - image.hot.y },
    image: viewers.every(({ hasPointer }) => hasPointer.image) ? undefined : image,
  };
}
