/** Decodes lossless tiles into a picture; see the server's control/live/tile_writer.ts. Pure. */

const TILE = 64;
/** Slots of the colour table; byte values from here to 254 are runs. */
const SLOTS = 192;
const LITERAL = 255;

/** Decodes the tiles of one message in sequence. */
export class TileDecoder {
  #slots = new Uint32Array(SLOTS);
  /** @type {Uint8Array} */ #bytes = new Uint8Array();
  #at = 0;

  /**
   * @param {Uint32Array} pixels The picture, one word per pixel: red, green, blue and alpha in memory order.
   * @param {number} width Width of the picture.
   */
  constructor(pixels, width) {
    this.pixels = pixels;
    this.width = width;
  }

  /** Starts a message. @param {Uint8Array} bytes The tiles of all its runs. */
  begin(bytes) {
    this.#bytes = bytes;
    this.#at = 0;
    this.#slots.fill(0);
  }

  /** Decodes a run of adjacent tiles. @param {{ x: number, y: number, width: number, height: number }} run */
  run({ x, y, width, height }) {
    for (let left = 0; left < width; left += TILE) {
      const start = y * this.width + x + left, columns = Math.min(TILE, width - left);
      const colors = this.#bytes[this.#at++];
      if (colors) this.#few(colors, start, columns, height);
      else this.#many(start, columns, height);
    }
  }

  /** The colour at a position in the message. @param {number} at */
  #color(at) {
    const bytes = this.#bytes;
    return (0xff000000 | bytes[at + 2] << 16 | bytes[at + 1] << 8 | bytes[at]) >>> 0;
  }

  /** @param {number} count @param {number} start @param {number} columns @param {number} rows */
  #few(count, start, columns, rows) {
    const { pixels, width } = this, bytes = this.#bytes;
    const colors = Array.from({ length: count }, (_, i) => this.#color(this.#at + i * 3));
    let at = this.#at + count * 3;
    const bits = count === 1 ? 0 : count === 2 ? 1 : 2, mask = (1 << bits) - 1;
    for (let row = 0; row < rows; row++) {
      let to = start + row * width;
      const end = to + columns;
      if (!bits) pixels.fill(colors[0], to, end);
      else {
        while (to < end) {
          const byte = bytes[at++];
          for (let shift = 8 - bits; shift >= 0 && to < end; shift -= bits) {
            pixels[to++] = colors[byte >> shift & mask];
          }
        }
      }
    }
    this.#at = at;
  }

  /** @param {number} start @param {number} columns @param {number} rows */
  #many(start, columns, rows) {
    const { pixels, width } = this, bytes = this.#bytes, slots = this.#slots;
    let at = this.#at, last = 0, left = columns * rows, to = start, column = 0;
    const gap = width - columns;
    while (left > 0) {
      const byte = bytes[at++];
      let count = 1;
      if (byte < SLOTS) last = slots[byte];
      else if (byte < LITERAL) count = byte - SLOTS + 1;
      else {
        const rgb = bytes[at] << 16 | bytes[at + 1] << 8 | bytes[at + 2];
        last = this.#color(at);
        slots[(Math.imul(rgb, 0x9e3779b1) >>> 16) * SLOTS >>> 16] = last;
        at += 3;
      }
      left -= count;
      while (count > 0) { // a run may continue in the next rows
        const end = to + Math.min(count, columns - column);
        count -= end - to;
        column += end - to;
        while (to < end) pixels[to++] = last;
        if (column === columns) {
          column = 0;
          to += gap;
        }
      }
    }
    this.#at = at;
  }
}
