/** ZRLE tiles (RFC 6143 section 7.7.6), which have the same size as the live picture's. Pure. */

import type { PixelWriter } from "../../rfb/pixel_format.ts";
import { type Region, tilesOf } from "../desktop/input.ts";
import { TILE } from "./mirror.ts";

/**
 * Maximum number of palette colours, and the hash table for them: a power of two, more than twice as many
 * slots.
 */
const MOST_COLORS = 127, SLOTS = 512, SLOT_BITS = 9;
/** The golden ratio in 32 bits, which spreads colours over the slots. */
const GOLDEN = 0x9e3779b1;
/** Maximum size of a tile, in bytes. */
const TILE_BYTES = TILE * TILE * 5 + 1024;
/** The first subencoding of palette runs, and the maximum run per length byte. */
const PALETTE_RUNS = 128, LONG_RUN = 255;

/** Writes tiles in sequence. */
export class ZrleWriter {
  #out = new Uint8Array(1 << 18);
  #length = 0;
  readonly #keys = new Int32Array(SLOTS);
  readonly #numbers = new Int16Array(SLOTS).fill(-1);
  readonly #colors = new Int32Array(MOST_COLORS + 1);
  readonly #used = new Int32Array(MOST_COLORS + 1);
  readonly #indices = new Uint8Array(TILE * TILE);

  /**
   * @param words The picture, one word per pixel.
   * @param width Width of the picture, in pixels.
   */
  constructor(readonly words: Int32Array, readonly width: number) {}

  /**
   * Writes a rectangle that starts at a tile boundary.
   * @returns Bytes that are valid until the next call.
   */
  write(region: Region, pixel: PixelWriter): Uint8Array<ArrayBuffer> {
    this.#length = 0;
    for (const tile of tilesOf(region, TILE)) {
      this.#makeRoom();
      this.#tile(tile, pixel);
    }
    return this.#out.subarray(0, this.#length);
  }

  #makeRoom(): void {
    if (this.#out.length - this.#length >= TILE_BYTES) return;
    const larger = new Uint8Array(this.#out.length * 2);
    larger.set(this.#out.subarray(0, this.#length));
    this.#out = larger;
  }

  #tile(tile: Region, pixel: PixelWriter): void {
    const found = this.#index(tile);
    if (!found) return this.#raw(tile, pixel);
    const { count, runBytes } = found, bits = count === 2 ? 1 : count <= 4 ? 2 : 4;
    if (count > 1 && count <= 16 && Math.ceil(tile.width * bits / 8) * tile.height <= runBytes) {
      this.#palette(count, count, pixel);
      return this.#packed(tile, bits);
    }
    this.#palette(count === 1 ? 1 : PALETTE_RUNS + count, count, pixel);
    if (count > 1) this.#runs(tile.width * tile.height);
  }

  /**
   * Indexes the colours of a tile.
   * @returns Number of colours and the bytes of their runs; undefined for more than {@linkcode MOST_COLORS}.
   */
  #index({ x, y, width, height }: Region): { count: number; runBytes: number } | undefined {
    const { words } = this,
      keys = this.#keys,
      numbers = this.#numbers,
      colors = this.#colors,
      used = this.#used;
    const indices = this.#indices;
    let count = 0, runBytes = 0, run = 0, last = -1, number = 0, out = 0;
    for (let row = y; row < y + height && count <= MOST_COLORS; row++) {
      for (let at = row * this.width + x, end = at + width; at < end; at++) {
        const rgb = words[at] & 0xffffff;
        if (rgb !== last) {
          runBytes += run > 1 ? 2 : run;
          run = 0;
          let slot = Math.imul(rgb, GOLDEN) >>> 32 - SLOT_BITS;
          while (numbers[slot] >= 0 && keys[slot] !== rgb) slot = slot + 1 & SLOTS - 1;
          if (numbers[slot] < 0) {
            if (count++ === MOST_COLORS) break;
            keys[slot] = colors[count - 1] = rgb;
            used[count - 1] = slot;
            numbers[slot] = count - 1;
          }
          last = rgb;
          number = numbers[slot];
        }
        run++;
        indices[out++] = number;
      }
    }
    const isFew = count <= MOST_COLORS;
    for (let i = 0; i < Math.min(count, MOST_COLORS); i++) numbers[used[i]] = -1;
    return isFew ? { count, runBytes: runBytes + Math.min(2, run) } : undefined;
  }

  #palette(subencoding: number, count: number, pixel: PixelWriter): void {
    this.#out[this.#length++] = subencoding;
    for (let i = 0; i < count; i++) this.#length = pixel.putCompact(this.#out, this.#length, this.#colors[i]);
  }

  #packed({ width, height }: Region, bits: number): void {
    const out = this.#out, indices = this.#indices, perByte = 8 / bits;
    let at = this.#length;
    for (let row = 0, from = 0; row < height; row++) {
      let value = 0, held = 0;
      for (let column = 0; column < width; column++) {
        value = value << bits | indices[from++];
        if (++held < perByte) continue;
        out[at++] = value;
        value = held = 0;
      }
      if (held) out[at++] = value << (perByte - held) * bits;
    }
    this.#length = at;
  }

  #runs(pixels: number): void {
    const out = this.#out, indices = this.#indices;
    let at = this.#length;
    for (let from = 0; from < pixels;) {
      const index = indices[from], begin = from++;
      while (from < pixels && indices[from] === index) from++;
      let left = from - begin - 1;
      out[at++] = left ? index | 128 : index;
      if (!left) continue;
      for (; left >= LONG_RUN; left -= LONG_RUN) out[at++] = LONG_RUN;
      out[at++] = left;
    }
    this.#length = at;
  }

  #raw({ x, y, width, height }: Region, pixel: PixelWriter): void {
    const out = this.#out, { words } = this;
    let at = this.#length;
    out[at++] = 0;
    for (let row = y; row < y + height; row++) {
      for (let from = row * this.width + x, end = from + width; from < end; from++) {
        at = pixel.putCompact(out, at, words[from] & 0xffffff);
      }
    }
    this.#length = at;
  }
}
