/**
 * Tiles as bytes, without loss. A tile begins with a byte: 1 to 4 is the number of its colours, which follow as red,
 * green and blue, and then each pixel's number in 0, 1 or 2 bits, high bits first, each row in whole bytes. 0 begins
 * a tile of more colours, a byte a pixel:
 *
 * - 0 to {@linkcode SLOTS}-1: the colour in this slot of a table that both sides keep over the tiles of a message;
 * - up to 254: the last colour again, 1 to {@linkcode LONGEST_RUN} times;
 * - 255: red, green and blue follow, and go into the slot that {@linkcode slotOf} gives.
 *
 * Runs and the last colour begin anew with each tile. For pictures of terminals, pages and dragged windows, this
 * format takes 0.1 to 0.8 of the bytes of deflated colours, and less time than counting more colours would.
 */

import type { Region } from "../desktop.ts";
import { TILE } from "./grid.ts";

/** Slots of the table of colours. */
const SLOTS = 192;
/** The longest run of one colour in a byte. */
const LONGEST_RUN = 255 - SLOTS;
const LITERAL = 255;
/** The most colours that are packed into bits. */
const FEW = 4;
/** The multiplier of a multiplicative hash: 2 ** 32 by the golden ratio. */
const GOLDEN = 0x9e3779b1;

/** The slot of a colour, 0xRRGGBB. */
function slotOf(rgb: number): number {
  return (Math.imul(rgb, GOLDEN) >>> 16) * SLOTS >>> 16;
}

/** Writes the tiles of one message after the other. */
export class TileWriter {
  /** Bytes written since {@linkcode begin}. */
  length = 0;
  readonly #out: Uint8Array<ArrayBuffer>;
  readonly #slots = new Int32Array(SLOTS);
  /** Colours of a tile by hash, and their numbers; -1 is free. */
  readonly #keys = new Int32Array(64);
  readonly #numbers = new Int8Array(64);
  readonly #colors = new Int32Array(FEW);
  readonly #indices = new Uint8Array(TILE * TILE);

  /**
   * @param words The picture, a word a pixel.
   * @param width The width of the picture, in pixels.
   */
  constructor(readonly words: Int32Array, readonly width: number) {
    // A tile needs at most 4 bytes for each pixel and one more.
    this.#out = new Uint8Array(words.length * 4 + words.length / TILE + 65536);
  }

  /** Begins a message. */
  begin(): void {
    this.length = 0;
    this.#slots.fill(-1);
  }

  /** The bytes written since {@linkcode begin}; valid until its next call. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#out.subarray(0, this.length);
  }

  /** Writes a tile. */
  write(tile: Region): void {
    const colors = this.#index(tile);
    if (colors) this.#writeFew(colors, tile);
    else this.#writeMany(tile);
  }

  /**
   * Numbers the colours of a tile.
   * @returns How many there are; 0 for more than {@linkcode FEW}.
   */
  #index({ x, y, width, height }: Region): number {
    const words = this.words;
    const keys = this.#keys, numbers = this.#numbers.fill(-1), indices = this.#indices, colors = this.#colors;
    let count = 0, last = -1, number = 0, out = 0;
    for (let row = y; row < y + height; row++) {
      for (let at = row * this.width + x, end = at + width; at < end; at++) {
        const rgb = words[at] & 0xffffff;
        if (rgb !== last) {
          let slot = Math.imul(rgb, GOLDEN) >>> 26;
          while (numbers[slot] >= 0 && keys[slot] !== rgb) slot = (slot + 1) & 63;
          if (numbers[slot] < 0) {
            if (count === FEW) return 0;
            keys[slot] = colors[count] = rgb;
            numbers[slot] = count++;
          }
          last = rgb;
          number = numbers[slot];
        }
        indices[out++] = number;
      }
    }
    return count;
  }

  #writeFew(count: number, { width, height }: Region): void {
    const out = this.#out, indices = this.#indices;
    let at = this.length;
    out[at++] = count;
    for (const rgb of this.#colors.subarray(0, count)) {
      out[at++] = rgb >> 16;
      out[at++] = rgb >> 8;
      out[at++] = rgb;
    }
    const bits = count === 1 ? 0 : count === 2 ? 1 : 2;
    if (bits) {
      const perByte = 8 / bits;
      for (let row = 0, from = 0; row < height; row++) {
        let value = 0, held = 0;
        for (let column = 0; column < width; column++) {
          value = value << bits | indices[from++];
          if (++held === perByte) {
            out[at++] = value;
            value = held = 0;
          }
        }
        if (held) out[at++] = value << 8 - held * bits;
      }
    }
    this.length = at;
  }

  #writeMany({ x, y, width, height }: Region): void {
    const out = this.#out, words = this.words, slots = this.#slots;
    let at = this.length, last = -1, run = 0;
    out[at++] = 0;
    for (let row = y; row < y + height; row++) {
      for (let from = row * this.width + x, end = from + width; from < end; from++) {
        const rgb = words[from] & 0xffffff;
        if (rgb === last) {
          if (++run === LONGEST_RUN) {
            out[at++] = SLOTS + LONGEST_RUN - 1;
            run = 0;
          }
          continue;
        }
        if (run) {
          out[at++] = SLOTS + run - 1;
          run = 0;
        }
        const slot = slotOf(rgb);
        if (slots[slot] === rgb) out[at++] = slot;
        else {
          slots[slot] = rgb;
          out[at] = LITERAL;
          out[at + 1] = rgb >> 16;
          out[at + 2] = rgb >> 8;
          out[at + 3] = rgb;
          at += 4;
        }
        last = rgb;
      }
    }
    if (run) out[at++] = SLOTS + run - 1;
    this.length = at;
  }
}
