/** Encodes the tiles that viewers lack, once for all viewers that receive the same picture. */

import type { Point, Region } from "../desktop/desktop.ts";
import { intersection } from "../desktop/input.ts";
import type { Allowance } from "../desktop/viewers.ts";
import { type Grid, type Mirror, type ScrollCopy, TILE } from "./mirror.ts";
import {
  encodePicture,
  type PhotoTiles,
  type PictureParts,
  pixelsOf,
  takeTiles,
  TileWriter,
} from "./tile_writer.ts";
import type { JpegEncoder, LiveScreen } from "../desktop/screen.ts";

/** Estimated size of a tile before it is encoded, in bytes. */
const TILE_BYTES = 1024;
/** Share of the bytes for JPEG files if there are also tiles. */
const JPEG_SHARE = 3 / 4;

/** A picture for some viewers. */
interface Wanted {
  /** One byte per tile: before encoding, 1 if the tile is to be sent; afterwards, 1 if it was encoded. */
  tiles: Uint8Array;
  copy?: ScrollCopy;
  pointer?: PictureParts["pointer"];
  allowance: Allowance;
  /** The byte limits of the only viewer, if bytes are limited. */
  thrift: Thrift;
}

/** Encodes pictures as messages. */
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
   * @returns The message, and its lossy and its lossless tiles.
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
   * Makes JPEG files where that saves bytes, and unmarks their tiles.
   * @param within Maximum size of all files in bytes, if limited.
   */
  #jpegs(left: Uint8Array, within: { thrift: Thrift; bytes: number } | undefined) {
    const { grid, mirror, screen: { jpeg } } = this;
    if (!jpeg) return { jpegs: [], lossy: [] };
    const count = left.reduce((sum, isLeft) => sum + isLeft, 0);
    const isHurried = within !== undefined && count * TILE_BYTES > within.bytes;
    const chosen = this.photoTiles.choose(left, isHurried);
    const lossy = chosen.flatMap((tiles) => takeTiles(left, tiles, grid));
    const regions = chosen.map((tiles) => pixelsOf(tiles, grid));
    if (!within) {
      const file = (region: Region) => jpeg(mirror.bytes, grid.width * 4, region).slice();
      return { jpegs: regions.map((region) => ({ region, file: file(region) })), lossy };
    }
    const bytes = within.bytes * (left.includes(1) ? JPEG_SHARE : 1);
    return { jpegs: within.thrift.jpegs(jpeg, mirror.bytes, grid.width, regions, bytes), lossy };
  }

  /**
   * Writes tiles, adjacent ones together.
   * @param choose Receives a function that writes a tile and returns the number of bytes written so far.
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

/** Encodes the pointer for viewers: its position, and its image if some viewers do not have it. */
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

// The lossy tiles of a viewer: a JPEG differs slightly from the screen, and is resent without loss once the
// tile rests.

/** Maximum number of tiles resent without loss at the same time. */
const AT_ONCE = 96;

/** The lossy tiles of one viewer. */
export class LossyTiles {
  readonly #lossy: Uint8Array<ArrayBuffer>;
  #count = 0;

  constructor(readonly grid: Grid) {
    this.#lossy = new Uint8Array(grid.count);
  }

  /** Whether any tile is lossy. */
  get pending(): boolean {
    return this.#count > 0;
  }

  /** Records that a tile is sent, lossy or lossless. */
  set(tile: number, isLossy: boolean): void {
    const value = isLossy ? 1 : 0;
    this.#count += value - this.#lossy[tile];
    this.#lossy[tile] = value;
  }

  /**
   * Follows a scroll that the viewer performs itself: its lossy tiles move with the content.
   * @param touched Called with each tile that becomes lossy through the scroll.
   */
  moved(copy: ScrollCopy, touched: (tile: number) => void): void {
    if (!this.pending) return;
    for (const [tile, isLossy] of movedMarks(this.#lossy, this.grid, copy)) {
      this.set(tile, isLossy);
      if (isLossy) touched(tile);
    }
  }

  /**
   * Takes the tiles that rest now, to resend them without loss.
   * @param rests Whether a tile rests.
   * @param most Maximum number of tiles.
   * @returns Their indices.
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
 * The marks of tiles after a scroll, if marks move with the content.
 * @param marks 1 for each marked tile, before the scroll.
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

// Limits the size of a slow viewer's pictures: JPEG files with lower quality and fewer pixels, and only some
// of the tiles.

/**
 * Quality steps, from the best JPEG to the smallest: a divisor of width and height, and the quality (1 to
 * 100).
 */
const STEPS: readonly (readonly [divisor: number, quality: number])[] = [
  [1, 75],
  [1, 55],
  [1, 35],
  [2, 75],
  [2, 50],
  [2, 35],
  [2, 20],
  [3, 35],
  [3, 20],
  [4, 30],
  [4, 15],
];
/** Share of the bytes below which the next picture tries a better step. */
const BETTER = 0.55;
/**
 * Minimum share of the bytes that tiles get besides JPEG files, so that typed text is visible while a video
 * plays.
 */
const TILES_SHARE = 1 / 4;

/** Statistics of one viewer's pictures so far. */
export class Thrift {
  #step = 0;
  /** Size of deflated tiles relative to their pixels. */
  #ratio = 0.5;
  /** The tile with which the next picture starts, so that no tile waits forever. */
  #next = 0;

  /**
   * Compresses parts of a picture.
   * @param pixels As in {@linkcode JpegEncoder}, in rows of `width` pixels.
   * @param bytes Target size of all files together.
   */
  jpegs(
    encode: JpegEncoder,
    pixels: Uint8Array<ArrayBuffer>,
    width: number,
    regions: readonly Region[],
    bytes: number,
  ): { region: Region; file: Uint8Array }[] {
    for (;;) {
      const [divisor, quality] = STEPS[this.#step];
      const files = regions.map((region) => {
        if (divisor === 1) return { region, file: encode(pixels, width * 4, region, quality).slice() };
        const small = shrunk(pixels, width, region, divisor), place = { ...small.size, x: 0, y: 0 };
        return { region, file: encode(small.pixels, place.width * 4, place, quality).slice() };
      });
      const sum = files.reduce((all, { file }) => all + file.length, 0);
      if (sum <= bytes || this.#step === STEPS.length - 1) {
        if (sum < bytes * BETTER && this.#step > 0) this.#step--;
        return files;
      }
      this.#step = Math.min(STEPS.length - 1, this.#step + (sum > 2 * bytes ? 2 : 1));
    }
  }

  /**
   * Writes the tiles that fit.
   * @param wanted 1 for each tile to send; tiles that do not fit are unmarked.
   * @param bytes Maximum size of the picture; `used` is its size so far.
   * @param write Writes a tile.
   * @returns The bytes of all tiles so far, before compression.
   */
  fit(wanted: Uint8Array, bytes: number, used: number, write: (tile: number) => number): void {
    const most = Math.max(bytes - used, bytes * TILES_SHARE) / this.#ratio;
    let tile = wanted.indexOf(1, this.#next), length = 0;
    if (tile < 0) tile = wanted.indexOf(1);
    const taken = new Uint8Array(wanted.length);
    while (tile >= 0 && length < most) {
      wanted[tile] = 0;
      taken[tile] = 1;
      length = write(tile);
      this.#next = tile + 1;
      const after = wanted.indexOf(1, this.#next);
      tile = after >= 0 ? after : wanted.indexOf(1);
    }
    wanted.set(taken);
  }

  /** Records how well tiles were compressed. @param length Size of the tiles before compression, in bytes. */
  deflated(length: number, packed: number): void {
    if (length) this.#ratio = (this.#ratio + Math.max(0.02, packed / length)) / 2;
  }
}

/** A part of a picture with fewer pixels, each the mean of a square. */
function shrunk(pixels: Uint8Array<ArrayBuffer>, across: number, region: Region, divisor: number) {
  const width = Math.ceil(region.width / divisor), height = Math.ceil(region.height / divisor);
  const small = new Uint8Array(width * height * 4), { x, y } = region;
  const right = x + region.width - 1, bottom = y + region.height - 1, area = divisor * divisor;
  for (let row = 0, to = 0; row < height; row++) {
    for (let column = 0; column < width; column++, to += 4) {
      let blue = 0, green = 0, red = 0;
      for (let down = 0; down < divisor; down++) {
        const line = Math.min(bottom, y + row * divisor + down) * across;
        for (let along = 0; along < divisor; along++) {
          const from = (line + Math.min(right, x + column * divisor + along)) * 4;
          blue += pixels[from];
          green += pixels[from + 1];
          red += pixels[from + 2];
        }
      }
      small[to] = blue / area;
      small[to + 1] = green / area;
      small[to + 2] = red / area;
    }
  }
  return { pixels: small, size: { width, height } };
}
