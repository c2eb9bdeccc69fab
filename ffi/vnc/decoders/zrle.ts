/** Decodes ZRLE (RFC 6143 section 7.7.6): tiles of 64 pixels, each plain, by a palette, or as runs. Pure. */

import { type Region, tilesOf } from "../../../control/desktop/input.ts";
import { pixelAt, type Raster } from "./raster.ts";

const TILE = 64;
/** Subencodings: runs of pixels, runs by a palette from the next number on, and the largest packed palette. */
const RUNS = 128, FIRST_PALETTE_RUNS = 130, LARGEST_PACKED = 16;
/** Bytes of a pixel. */
const PIXEL = 3;

/**
 * Draws the unpacked data of a rectangle.
 * @throws RangeError if the data is damaged.
 */
export function drawZrle(data: Uint8Array, region: Region, raster: Raster): void {
  const reader = new TileReader(data, raster);
  for (const tile of tilesOf(region, TILE)) reader.tile(tile);
  reader.end();
}

class TileReader {
  #at = 0;
  readonly #palette = new Int32Array(RUNS);

  constructor(readonly data: Uint8Array, readonly raster: Raster) {}

  tile(tile: Region): void {
    const kind = this.#byte(), colours = kind & 127;
    if (kind === 0) {
      this.raster.drawCompact(tile, this.data, this.#at);
      this.#at += PIXEL * tile.width * tile.height;
      return;
    }
    if (kind === 1) return this.raster.fill(tile, this.#pixel());
    if (kind === RUNS) return this.#runs(tile, () => [this.#pixel(), this.#length()]);
    if (kind > LARGEST_PACKED && kind < FIRST_PALETTE_RUNS) {
      throw new RangeError(`ZRLE's subencoding ${kind}`);
    }
    for (let i = 0; i < colours; i++) this.#palette[i] = this.#pixel();
    if (kind <= LARGEST_PACKED) {
      const bits = colours === 2 ? 1 : colours <= 4 ? 2 : 4;
      this.#at = this.raster.drawIndexed(tile, this.data, this.#at, bits, this.#palette);
      return;
    }
    this.#runs(tile, () => {
      const index = this.#byte();
      return [this.#palette[index & 127], index & 128 ? this.#length() : 1];
    });
  }

  /** @throws RangeError if data is left, or was missing. */
  end(): void {
    if (this.#at !== this.data.length) {
      throw new RangeError(`ZRLE data unpacked to ${this.data.length} bytes instead of ${this.#at}`);
    }
  }

  #byte(): number {
    return this.data[this.#at++];
  }

  #pixel(): number {
    const pixel = pixelAt(this.data, this.#at);
    this.#at += PIXEL;
    return pixel;
  }

  #length(): number {
    let length = 1, byte: number;
    do length += byte = this.#byte(); while (byte === 255);
    return length;
  }

  #runs({ x, y, width, height }: Region, next: () => [pixel: number, length: number]): void {
    const { words, width: across } = this.raster, count = width * height;
    for (let done = 0; done < count;) {
      const [pixel, length] = next(), end = done + length;
      if (!(end <= count)) throw new RangeError("a ZRLE run extends beyond its tile"); // also for missing data
      while (done < end) {
        const column = done % width, part = Math.min(end - done, width - column);
        const to = (y + Math.floor(done / width)) * across + x + column;
        words.fill(pixel, to, to + part);
        done += part;
      }
    }
  }
}
