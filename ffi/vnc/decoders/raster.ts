/** The picture that decoders draw into: a word of 0xRRGGBB for each pixel, in rows without gaps. Pure. */

import type { Region } from "../../../control/desktop/desktop.ts";

/** Reads the bytes of a connection. */
export interface ByteReader {
  /** @throws StreamEnded if the connection ends before. */
  take(count: number): Promise<Uint8Array>;
}

/** Reads a pixel of 32 or 24 bits, little-endian, as 0xRRGGBB. */
export function pixelAt(bytes: Uint8Array, at: number): number {
  return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16;
}

/** A picture. */
export class Raster {
  readonly words: Int32Array<ArrayBuffer>;
  readonly #bytes: Uint8Array<ArrayBuffer>;

  constructor(readonly width: number, readonly height: number) {
    this.words = new Int32Array(width * height);
    this.#bytes = new Uint8Array(this.words.buffer);
  }

  /** @throws RangeError if a region is not within the picture. */
  check({ x, y, width, height }: Region): void {
    if (x + width <= this.width && y + height <= this.height) return;
    throw new RangeError(`a rectangle is outside of the picture: ${width}x${height} at ${x},${y}`);
  }

  /** Fills a region within the picture. */
  fill({ x, y, width, height }: Region, pixel: number): void {
    for (let row = y; row < y + height; row++) {
      const at = row * this.width + x;
      this.words.fill(pixel, at, at + width);
    }
  }

  /** Draws pixels of 32 bits in rows without gaps. */
  draw({ x, y, width, height }: Region, pixels: Uint8Array): void {
    for (let row = 0; row < height; row++) {
      const from = pixels.subarray(4 * row * width, 4 * (row + 1) * width);
      this.#bytes.set(from, 4 * ((y + row) * this.width + x));
    }
  }

  /**
   * Draws pixels of 24 bits in rows without gaps.
   * @param data With the pixels from a byte on.
   * @param read As {@linkcode pixelAt}.
   */
  drawCompact({ x, y, width, height }: Region, data: Uint8Array, at: number, read = pixelAt): void {
    for (let row = y; row < y + height; row++) {
      for (let to = row * this.width + x, end = to + width; to < end; to++, at += 3) {
        this.words[to] = read(data, at);
      }
    }
  }

  /**
   * Draws pixels by a palette, each row from a byte's edge.
   * @param data With the rows from a byte on.
   * @param bits Of a pixel: 1, 2, 4 or 8.
   * @returns The place behind the last row.
   */
  drawIndexed(
    { x, y, width, height }: Region,
    data: Uint8Array,
    at: number,
    bits: number,
    palette: ArrayLike<number>,
  ): number {
    const mask = (1 << bits) - 1;
    for (let row = y; row < y + height; row++) {
      for (let to = row * this.width + x, end = to + width, left = 8; to < end; to++) {
        left -= bits;
        this.words[to] = palette[data[at] >> left & mask] ?? 0;
        if (left) continue;
        left = 8;
        at++;
      }
      at += width * bits % 8 ? 1 : 0;
    }
    return at;
  }

  /** Copies pixels within the picture to a region. */
  copy({ x, y, width, height }: Region, fromX: number, fromY: number): void {
    const isDown = fromY > y;
    for (let i = 0; i < height; i++) {
      const row = isDown ? i : height - 1 - i, from = (fromY + row) * this.width + fromX;
      this.words.copyWithin((y + row) * this.width + x, from, from + width);
    }
  }
}
