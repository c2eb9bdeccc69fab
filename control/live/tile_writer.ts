/**
 * Tiles as bytes, without loss. A tile begins with a byte: 1 to 4 is the number of its colours, which follow as red,
 * green and blue, and then each pixel's number in 0, 1 or 2 bits, high bits first, each row in whole bytes. 0 begins
 * a tile of more colours, a byte a pixel:
 *
 * - 0 to {@linkcode SLOTS}-1: the colour in this slot of a table that both sides keep over the tiles of a message;
 * - up to 254: the last colour again, 1 to {@linkcode LONGEST_RUN} times;
 * - 255: red, green and blue follow, and go into the slot that {@linkcode slotOf} gives.
 *
 * Runs and the last colour begin again with each tile. For pictures of terminals, pages and dragged windows, this
 * format takes 0.1 to 0.8 of the bytes of deflated colours, and less time than counting more colours would.
 */

import { Deflater } from "../../core/bytes.ts";
import type { Point, Region } from "../desktop/desktop.ts";
import type { PointerImage } from "../desktop/screen.ts";
import { type Grid, type ScrollCopy, TILE } from "./mirror.ts";

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

// A picture as a message, binary, all numbers little-endian. Its parts are drawn in this order:
//
// | bytes | what | | --- | --- | | 2 | 1 if content is copied, else 0 | | 2 | number of runs of tiles | | 2 |
// number of JPEG files | | 2 | pointer: 1 its place follows, 2 its picture too, 0 neither | | 4 | bytes of
// the tiles before they were deflated | | 10 | if content is copied: x, y, width, height and dy, signed; it
// comes from `y + dy` | | 8 each | runs: x, y, width and height; tiles of 64 pixels side by side, the last
// one perhaps narrower | | 12 and more each | JPEG files: x, y, width, height, in 4 bytes its length, and the
// file (ITU T.81) | | 4 | if the pointer's place follows: x and y of its picture's top left corner, signed |
// | 4 and more | if its picture follows: width, height, and red, green, blue and alpha of each pixel,
// premultiplied | | the rest | the tiles of all runs (see tile_writer.ts) as raw deflate (RFC 1951); nothing
// if there are none |
//
// A message depends only on the picture before it, so viewers that have seen the same picture get the same
// message.

export interface PictureParts {
  copy?: ScrollCopy;
  runs: readonly Region[];
  jpegs: readonly { region: Region; file: Uint8Array }[];
  /** Top left corner of the pointer's picture, and that picture if it is new. */
  pointer?: { at: Point; image?: PointerImage };
  /** The tiles of all runs. */
  tiles: Uint8Array<ArrayBuffer>;
}

const HEADER = 12;
/**
 * The most bytes of tiles that are compressed at level 2, a fifth smaller than at level 1. For more bytes, as of
 * photographs, level 2 would take twice as long.
 */
const LITTLE = 64 * 1024;
const deflater = new Deflater("deflateRawSync", 128 * 1024);

/** Writes a message, in memory of its own, which can be moved to another thread. */
export function encodePicture(parts: PictureParts): Uint8Array<ArrayBuffer> {
  const { tiles } = parts, level = tiles.length < LITTLE ? 2 : 1;
  return tiles.length ? deflater.run(tiles, level, (packed) => joined(parts, packed)) : joined(parts, tiles);
}

/** The message, with the tiles as they are compressed. */
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

/** Writes numbers and bytes one after the other. */
class Writer {
  readonly message: Uint8Array<ArrayBuffer>;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.message = new Uint8Array(length);
    this.#view = new DataView(this.message.buffer);
  }

  /** Numbers of 16 bits, signed or not. */
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

// The choice of tiles that go as JPEG: those that change often and look like a photograph.

/**
 * Constants of a tile's change rate: the growth at a change, the maximum, and the rate above which the tile counts as
 * video. The rate falls at rest.
 */
const CHANGE_RATE = { change: 16, most: 255, video: 40 } as const;
/** The time without a change after which a tile rests, in milliseconds. */
const REST_MS = 200;
/**
 * A tile is photographic if more than this share of its sampled pixels have a colour that the pixels before them did
 * not have.
 */
const NEW_COLORS = 1 / 5;
/** Distance of sampled rows, in rows. */
const SAMPLED = 8;
/** The least share of photographic tiles in a rectangle that goes as one JPEG. */
const FILLED = 1 / 2;

/** Changes of each tile. */
export class PhotoTiles {
  readonly #changeRate: Uint8Array;
  /** The time of each tile's last change, in milliseconds. */
  readonly #changedAt: Float64Array;
  readonly #chosen: Uint8Array;
  readonly #recent = new Int32Array(64);

  /** @param words The picture, a word a pixel. */
  constructor(readonly grid: Grid, readonly words: Int32Array) {
    this.#changeRate = new Uint8Array(grid.count);
    this.#chosen = new Uint8Array(grid.count);
    this.#changedAt = new Float64Array(grid.count);
  }

  /**
   * Notes a look at the screen.
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

  /** Notes that other content came to a tile by a scroll. @param now In milliseconds. */
  moved(tile: number, now: number): void {
    this.#changedAt[tile] = now;
  }

  /** Whether a tile has not changed for a while. @param now In milliseconds. */
  rests(tile: number, now: number): boolean {
    return now - this.#changedAt[tile] >= REST_MS;
  }

  /** Notes that a resting tile is sent without loss: the film that it showed has ended. */
  refined(tile: number): void {
    this.#changeRate[tile] = 0;
  }

  /**
   * Chooses the tiles that are sent as JPEG.
   * @param wanted 1 for each tile that is to be sent.
   * @param isHurried Also takes photographs that have not changed before.
   * @returns Rectangles of whole tiles, in numbers of tiles; all their tiles are sent with them.
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

/** Covers marked tiles with rectangles, in numbers of tiles; takes the marks away. */
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

/** A rectangle of tiles as one of pixels, cut at the edge of the screen. */
export function pixelsOf({ x, y, width, height }: Region, grid: Grid): Region {
  const left = x * TILE, top = y * TILE;
  return {
    x: left,
    y: top,
    width: Math.min(width * TILE, grid.width - left),
    height: Math.min(height * TILE, grid.height - top),
  };
}
