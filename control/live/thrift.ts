/** Keeps the pictures of a slow viewer within bytes: JPEG files of less quality and fewer pixels, and some of the tiles. */

import type { Region } from "../desktop.ts";
import type { JpegEncoder } from "./screen.ts";

/**
 * The steps of quality from the best JPEG to the smallest: a divisor of width and height, and the quality (1 to 100).
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
/** The part of the bytes below which the next picture is tried with a better step. */
const BETTER = 0.55;
/**
 * The least share of the bytes that tiles get next to JPEG files, so that a typed key is visible while a video plays.
 */
const TILES_SHARE = 1 / 4;

/** Sums over the pictures of one viewer so far. */
export class Thrift {
  #step = 0;
  /** The size of deflated tiles as a part of their pixels' size. */
  #ratio = 0.5;
  /** The tile that the next picture begins with, so that no tile waits forever. */
  #next = 0;

  /**
   * Compresses parts of a picture.
   * @param pixels As {@linkcode JpegEncoder} takes them, in rows of `width` pixels.
   * @param bytes That all files together should have at most.
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
   * Takes the tiles that fit.
   * @param wanted 1 for each tile to send; tiles that do not fit are unmarked.
   * @param bytes The most bytes of the picture; `used` is the number that it has already.
   * @param write Writes a tile.
   * @returns The bytes of all tiles so far, before they are deflated.
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

  /** Notes how well tiles were deflated. @param length The bytes of the tiles before that. */
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
