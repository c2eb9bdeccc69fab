/**
 * Lossless encoding of tiles. A tile starts with a byte: 1 to 4 is the number of its colours, which follow as
 * red, green and blue, and then each pixel's colour index in 0, 1 or 2 bits, high bits first, each row in
 * whole bytes. 0 starts a tile with more colours, encoded as bytes:
 *
 * - 0 to {@linkcode SLOTS}-1: the colour in this slot of a table that both sides maintain across the tiles of
 *   a message;
 * - up to 254: the last colour repeated, 1 to {@linkcode LONGEST_RUN} times;
 * - 255: red, green and blue follow, and are stored in the slot that {@linkcode slotOf} returns.
 *
 * Runs and the last colour start over with each tile. For pictures of terminals, pages and dragged windows,
 * this format takes 0.1 to 0.8 of the bytes of deflated colours, and less time than counting more colours
 * would.
 */

import { Deflater } from "../../core/bytes.ts";
import type { Point, Region } from "../desktop/desktop.ts";
import type { PointerImage } from "../desktop/screen.ts";
import { type Grid, type ScrollCopy, TILE } from "./mirror.ts";

/** Slots of the colour table. */
const SLOTS = 192;
/** Maximum run of one colour in a byte. */
const LONGEST_RUN = 255 - SLOTS;
const LITERAL = 255;
/** Maximum number of colours packed into bits. */
const FEW = 4;
/** Multiplier of a multiplicative hash: 2 ** 32 divided by the golden ratio. */
const GOLDEN = 0x9e3779b1;

/** The slot of a colour, 0xRRGGBB. */
function slotOf(rgb: number): number {
  return (Math.imul(rgb, GOLDEN) >>> 16) * SLOTS >>> 16;
}

/** Writes the tiles of one message in sequence. */
export class TileWriter {
  /** Bytes written since {@linkcode begin}. */
  length = 0;
  readonly #out: Uint8Array<ArrayBuffer>;
  readonly #slots = new Int32Array(SLOTS);
  /** Colours of a tile by hash, and their indices; -1 is free. */
  readonly #keys = new Int32Array(64);
  readonly #numbers = new Int8Array(64);
  readonly #colors = new Int32Array(FEW);
  readonly #indices = new Uint8Array(TILE * TILE);

  /**
   * @param words The picture, one word per pixel.
   * @param width Width of the picture, in pixels.
   */
  constructor(readonly words: Int32Array, readonly width: number) {
    // A tile needs at most 4 bytes per pixel, plus one.
    this.#out = new Uint8Array(words.length * 4 + words.length / TILE + 65536);
  }

  /** Starts a message. */
  begin(): void {
    this.length = 0;
    this.#slots.fill(-1);
  }

  /** The bytes written since {@linkcode begin}; valid until its next call. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#out.subarray(0, this.length);
  }

  write(tile: Region): void {
    const colors = this.#index(tile);
    if (colors) this.#writeFew(colors, tile);
    else this.#writeMany(tile);
  }

  /**
   * Indexes the colours of a tile.
   * @returns Number of colours; 0 for more than {@linkcode FEW}.
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

// A picture as a binary message, all numbers little-endian. Its parts are drawn in this order:
//
// | bytes       | content                                                                              |
// | ----------- | ------------------------------------------------------------------------------------ |
// | 2           | 1 if content is copied, otherwise 0                                                  |
// | 2           | number of runs of tiles                                                              |
// | 2           | number of JPEG files                                                                 |
// | 2           | pointer: 1 if its position follows, 2 if its image follows too, 0 if neither         |
// | 4           | bytes of the tiles before compression                                                |
// | 10          | if content is copied: x, y, width, height and dy, signed; it comes from `y + dy`     |
// | 8 each      | runs: x, y, width and height; adjacent tiles of 64 pixels, the last perhaps narrower |
// | 12 and more | each JPEG file: x, y, width, height, in 4 bytes its length, and the file (ITU T.81)  |
// | 4           | if the pointer's position follows: x and y of its image's top left corner, signed    |
// | 4 and more  | if its image follows: width, height, and premultiplied RGBA of each pixel            |
// | the rest    | the tiles of all runs (see above) as raw deflate (RFC 1951); empty if there are none |
//
// A message depends only on the previous picture, so viewers that have seen the same picture receive the same
// message.

export interface PictureParts {
  copy?: ScrollCopy;
  runs: readonly Region[];
  jpegs: readonly { region: Region; file: Uint8Array }[];
  /** Top left corner of the pointer image, and the image itself if it is new. */
  pointer?: { at: Point; image?: PointerImage };
  /** The tiles of all runs. */
  tiles: Uint8Array<ArrayBuffer>;
}

const HEADER = 12;
/**
 * Maximum number of tile bytes compressed at level 2, which is a fifth smaller than level 1. For more bytes,
 * such as those of photographs, level 2 would take twice as long.
 */
const LITTLE = 64 * 1024;
const deflater = new Deflater("deflateRawSync", 128 * 1024);

/** Writes a message in its own memory, which can be transferred to another thread. */
export function encodePicture(parts: PictureParts): Uint8Array<ArrayBuffer> {
  const { tiles } = parts, level = tiles.length < LITTLE ? 2 : 1;
  return tiles.length ? deflater.run(tiles, level, (packed) => joined(parts, packed)) : joined(parts, tiles);
}

/** The message, given the compressed tiles. */
function joined({ copy, runs, jpegs, pointer, tiles }: PictureParts, packed: Uint8Array) {
  const image = pointer?.image;
  const length = HEADER + (copy ? 10 : 0) + runs.length * 8 +
    jpegs.reduce((sum, { file }) => sum + 12 + file.length, 0) +
    (pointer ? 4 : 0) + (image ? 4 + image.rgba.length : 0) + packed.length;
  const to = new Writer(length);
  to.words(copy ? 1 : 0, runs.length, jpegs.length, image ? 2 : pointer ? 1 : 0);
  to.long(tiles.length);
  if (copy) to.words(copy.x, copy.y, copy.width, copy.height, copy.dy);
  for (const { x, y, width, height } of runs) to.words(x, y, width, height);
  for (const { region: { x, y, width, height }, file } of jpegs) {
    to.words(x, y, width, height);
    to.long(file.length);
    to.bytes(file);
  }
  if (pointer) to.words(pointer.at.x, pointer.at.y);
  if (image) {
    to.words(image.width, image.height);
    to.bytes(image.rgba);
  }
  to.bytes(packed);
  return to.message;
}

/** Writes numbers and bytes in sequence. */
class Writer {
  readonly message: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.message = new Uint8Array(length);
    this.#view = new DataView(this.message.buffer);
  }

  /** 16-bit numbers, signed or unsigned. */
  words(...values: number[]): void {
    for (const value of values) {
      this.#view.setUint16(this.#at, value & 0xffff, true);
      this.#at += 2;
    }
  }

  long(value: number): void {
    this.#view.setUint32(this.#at, value, true);
    this.#at += 4;
  }

  bytes(bytes: Uint8Array): void {
    this.message.set(bytes, this.#at);
    this.#at += bytes.length;
  }
}

// Selects tiles to send as JPEG: those that change often and look like a photograph.

/**
 * Constants of a tile's change rate: the increase at a change, the maximum, and the rate above which the tile
 * counts as video. The rate decreases at rest.
 */
const CHANGE_RATE = { change: 16, most: 255, video: 40 } as const;
/** Time without a change after which a tile rests, in milliseconds. */
const REST_MS = 200;
/**
 * A tile is photographic if more than this share of its sampled pixels have a colour that earlier samples did
 * not have.
 */
const NEW_COLORS = 1 / 5;
/** Distance between sampled rows. */
const SAMPLED = 8;
/** Minimum share of photographic tiles in a rectangle that is sent as one JPEG. */
const FILLED = 1 / 2;

/** Changes of each tile. */
export class PhotoTiles {
  readonly #changeRate: Uint8Array;
  /** When each tile last changed, in milliseconds. */
  readonly #changedAt: Float64Array;
  readonly #chosen: Uint8Array;
  readonly #recent = new Int32Array(64);

  /** @param words The picture, one word per pixel. */
  constructor(readonly grid: Grid, readonly words: Int32Array) {
    this.#changeRate = new Uint8Array(grid.count);
    this.#chosen = new Uint8Array(grid.count);
    this.#changedAt = new Float64Array(grid.count);
  }

  /**
   * Records a look at the screen.
   * @param changed 1 for each tile that changed.
   * @param now In milliseconds.
   */
  note(changed: Uint8Array, now: number): void {
    const rate = this.#changeRate;
    for (let tile = 0; tile < rate.length; tile++) {
      if (changed[tile]) {
        rate[tile] = Math.min(CHANGE_RATE.most, rate[tile] + CHANGE_RATE.change);
        this.#changedAt[tile] = now;
      } else if (rate[tile] && now - this.#changedAt[tile] > REST_MS) rate[tile]--;
    }
  }

  /** Records that a scroll brought other content to a tile. @param now In milliseconds. */
  moved(tile: number, now: number): void {
    this.#changedAt[tile] = now;
  }

  /** Whether a tile has not changed for a while. @param now In milliseconds. */
  rests(tile: number, now: number): boolean {
    return now - this.#changedAt[tile] >= REST_MS;
  }

  /** Records that a resting tile is sent without loss: the video that it showed has ended. */
  refined(tile: number): void {
    this.#changeRate[tile] = 0;
  }

  /**
   * Selects the tiles to send as JPEG.
   * @param wanted 1 for each tile to send.
   * @param isHurried Also selects photographs that have not changed before.
   * @returns Rectangles of whole tiles, in tile units; all their tiles are sent with them.
   */
  choose(wanted: Uint8Array, isHurried = false): Region[] {
    const { columns, rows } = this.grid, chosen = this.#chosen.fill(0);
    let left = columns, top = rows, right = -1, bottom = -1, count = 0;
    for (let tile = 0; tile < wanted.length; tile++) {
      if (!wanted[tile] || !isHurried && this.#changeRate[tile] <= CHANGE_RATE.video) continue;
      if (!this.#isPhotographic(tile)) continue;
      const column = tile % columns, row = Math.floor(tile / columns);
      chosen[tile] = 1;
      count++;
      left = Math.min(left, column);
      right = Math.max(right, column);
      top = Math.min(top, row);
      bottom = Math.max(bottom, row);
    }
    if (count < 2) return [];
    const size = (right - left + 1) * (bottom - top + 1);
    if (count >= size * FILLED) {
      for (let row = top; row <= bottom; row++) {
        chosen.fill(1, row * columns + left, row * columns + right + 1);
      }
    }
    return rectangles(chosen, columns, rows);
  }

  #isPhotographic(tile: number): boolean {
    const { x, y, width, height } = this.grid.region(tile), words = this.words;
    const recent = this.#recent.fill(-1);
    let fresh = 0, count = 0;
    for (let row = y + Math.min(3, height - 1); row < y + height; row += SAMPLED) {
      for (let at = row * this.grid.width + x, end = at + width; at < end; at++, count++) {
        const rgb = words[at] & 0xffffff, slot = Math.imul(rgb, 0x9e3779b1) >>> 26;
        if (recent[slot] === rgb) continue;
        recent[slot] = rgb;
        fresh++;
      }
    }
    return fresh > count * NEW_COLORS;
  }
}

/** Covers marked tiles with rectangles, in tile units; clears the marks. */
export function rectangles(marks: Uint8Array, columns: number, rows: number): Region[] {
  const found: Region[] = [];
  for (let tile = marks.indexOf(1); tile >= 0; tile = marks.indexOf(1, tile + 1)) {
    const x = tile % columns, y = Math.floor(tile / columns);
    const isMarked = (row: number, from: number, to: number) =>
      marks.subarray(row * columns + from, row * columns + to).every((mark) => mark === 1);
    let width = 1, height = 1;
    while (x + width < columns && marks[tile + width]) width++;
    while (y + height < rows && isMarked(y + height, x, x + width)) height++;
    for (let row = y; row < y + height; row++) marks.fill(0, row * columns + x, row * columns + x + width);
    found.push({ x, y, width, height });
  }
  return found;
}

/** Unmarks the tiles of a rectangle, in tile units. @returns The tiles. */
export function takeTiles(marks: Uint8Array, { x, y, width, height }: Region, { columns }: Grid): number[] {
  const taken: number[] = [];
  for (let start = y * columns + x; start < (y + height) * columns; start += columns) {
    marks.fill(0, start, start + width);
    for (let tile = start; tile < start + width; tile++) taken.push(tile);
  }
  return taken;
}

/** Converts a rectangle of tiles to pixels, cropped at the edge of the screen. */
export function pixelsOf({ x, y, width, height }: Region, grid: Grid): Region {
  const left = x * TILE, top = y * TILE;
  return {
    x: left,
    y: top,
    width: Math.min(width * TILE, grid.width - left),
    height: Math.min(height * TILE, grid.height - top),
  };
}
