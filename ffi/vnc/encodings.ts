/**
 * Decodes the rectangles of one connection, in the encodings that deskhand requests (RFC 6143 section 7.7).
 */

import { type Region, tilesOf } from "../../control/desktop/desktop.ts";
import { ENCODING, readRectangle, uint16, uint32 } from "../../rfb/protocol.ts";
import type { Inflate } from "node:zlib";
import { concat } from "../../core/bytes.ts";
import { nodeModule } from "../../core/path.ts";

/** Number of bytes by which compressed data may exceed its uncompressed size. */
const PACKED_MORE = 65536;
/** Maximum size of ZRLE data: 5 bytes per pixel in runs of one, and a palette for each tile. */
const ZRLE_PIXEL = 5, ZRLE_MORE = 4096;
/** Size of a pixel, and of an RRE subrectangle's position after its pixel, in bytes. */
const PIXEL = 4, RRE_PLACE = 8;
const HEXTILE_TILE = 16;
/** Flags of a Hextile tile. */
const HEXTILE = { raw: 1, background: 2, foreground: 4, subrects: 8, coloured: 16 } as const;
/** Number of RRE subrectangles read at a time. */
const BATCH = 4096;

type Draw = (reader: ByteReader, region: Region, raster: Raster) => Promise<void>;

/** The decoders of one connection. */
export class Decoder {
  readonly #zrle = new Inflater();
  readonly #zlib = new Inflater();
  readonly #tight = new TightDecoder();

  readonly #byEncoding: Readonly<Record<number, Draw>> = {
    [ENCODING.raw]: async (reader, region, raster) => {
      const { x, y, width, height } = region;
      for (let row = y; row < y + height; row++) { // by row, so that little memory is allocated
        raster.draw({ x, y: row, width, height: 1 }, await reader.take(PIXEL * width));
      }
    },
    [ENCODING.copyRect]: async (reader, region, raster) => {
      const bytes = await reader.take(4), from = { ...region, x: uint16(bytes, 0), y: uint16(bytes, 2) };
      raster.check(from);
      raster.copy(region, from.x, from.y);
    },
    [ENCODING.zrle]: async (reader, region, raster) => {
      const most = region.width * region.height * ZRLE_PIXEL + ZRLE_MORE;
      drawZrle(await this.#zrle.unpack(await packed(reader, most), most), region, raster);
    },
    [ENCODING.zlib]: async (reader, region, raster) => {
      const size = region.width * region.height * PIXEL;
      const data = await this.#zlib.unpack(await packed(reader, size), size);
      if (data.length !== size) {
        throw new RangeError(`zlib data unpacked to ${data.length} bytes instead of ${size}`);
      }
      raster.draw(region, data);
    },
    [ENCODING.tight]: (reader, region, raster) => this.#tight.draw(reader, region, raster),
    [ENCODING.hextile]: drawHextile,
    [ENCODING.rre]: drawRre,
  };

  /**
   * Reads and draws a rectangle.
   * @throws RangeError if it is outside the picture, in another encoding, or damaged.
   */
  async draw(encoding: number, reader: ByteReader, region: Region, raster: Raster): Promise<void> {
    const draw = this.#byEncoding[encoding];
    if (!draw) throw new RangeError(`encoding ${encoding} was not requested`);
    raster.check(region);
    if (region.width && region.height || encoding !== ENCODING.raw) await draw(reader, region, raster);
  }

  close(): void {
    this.#zrle.close();
    this.#zlib.close();
    this.#tight.close();
  }
}

/** Reads compressed data. @param most Its maximum uncompressed size, in bytes. */
async function packed(reader: ByteReader, most: number): Promise<Uint8Array> {
  const length = uint32(await reader.take(4), 0);
  if (length > most + PACKED_MORE) throw new RangeError(`a rectangle of ${length} bytes is too large`);
  return await reader.take(length);
}

async function drawRre(reader: ByteReader, region: Region, raster: Raster): Promise<void> {
  const head = await reader.take(4 + PIXEL), size = PIXEL + RRE_PLACE;
  raster.fill(region, pixelAt(head, 4));
  for (let left = uint32(head, 0); left > 0; left -= BATCH) {
    const count = Math.min(left, BATCH), bytes = await reader.take(count * size);
    for (let at = 0; at < count * size; at += size) {
      const { x, y, ...size } = readRectangle(bytes, at + PIXEL);
      const part = { x: region.x + x, y: region.y + y, ...size };
      raster.check(part);
      raster.fill(part, pixelAt(bytes, at));
    }
  }
}

async function drawHextile(reader: ByteReader, region: Region, raster: Raster): Promise<void> {
  let background = 0, foreground = 0;
  const pixel = async () => pixelAt(await reader.take(PIXEL), 0);
  for (const tile of tilesOf(region, HEXTILE_TILE)) {
    const [bits] = await reader.take(1);
    if (bits & HEXTILE.raw) {
      raster.draw(tile, await reader.take(PIXEL * tile.width * tile.height));
      continue;
    }
    if (bits & HEXTILE.background) background = await pixel();
    if (bits & HEXTILE.foreground) foreground = await pixel();
    raster.fill(tile, background);
    const isColoured = (bits & HEXTILE.coloured) !== 0, size = isColoured ? PIXEL + 2 : 2;
    const count = bits & HEXTILE.subrects ? (await reader.take(1))[0] : 0,
      bytes = await reader.take(count * size);
    for (let at = 0; at < count * size; at += size) {
      if (isColoured) foreground = pixelAt(bytes, at);
      const [place, extent] = bytes.subarray(at + size - 2);
      const part = {
        x: tile.x + (place >> 4),
        y: tile.y + (place & 15),
        width: (extent >> 4) + 1,
        height: (extent & 15) + 1,
      };
      raster.check(part);
      raster.fill(part, foreground);
    }
  }
}

// Decodes Tight without JPEG (rfbproto.rst, "Tight Encoding"): a fill, or filtered pixels, compressed in four
// streams.

/** Kinds of rectangles: FILL, and the flag of a filter; below FILL, pixels are compressed. */
const FILL = 8, HAS_FILTER = 4;
const FILTER = { copy: 0, palette: 1, gradient: 2 } as const;
/** Data shorter than this many bytes is not compressed. */
const LEAST_PACKED = 12;
/** Size of a pixel, in bytes: red, green, blue. */
const TIGHT_PIXEL = 3;
const STREAMS = 4;

const rgbAt = (bytes: Uint8Array, at: number) => bytes[at] << 16 | bytes[at + 1] << 8 | bytes[at + 2];

/** The compression streams of one connection. */
class TightDecoder {
  readonly #streams: (Inflater | undefined)[] = [];

  /** Reads and draws a rectangle. @throws RangeError if the data is damaged. */
  async draw(reader: ByteReader, region: Region, raster: Raster): Promise<void> {
    const [control] = await reader.take(1), kind = control >> 4;
    for (let i = 0; i < STREAMS; i++) {
      if (control >> i & 1) this.#restart(i);
    }
    if (kind === FILL) return raster.fill(region, rgbAt(await reader.take(TIGHT_PIXEL), 0));
    if (kind > FILL - 1) throw new RangeError(`Tight's compression ${kind}`);
    const filter = kind & HAS_FILTER ? (await reader.take(1))[0] : FILTER.copy;
    const { width, height } = region;
    if (filter === FILTER.palette) {
      const palette = await this.#palette(reader), bits = palette.length <= 2 ? 1 : 8;
      const data = await this.#data(reader, kind & 3, Math.ceil(width * bits / 8) * height);
      return void raster.drawIndexed(region, data, 0, bits, palette);
    }
    if (filter > FILTER.gradient) throw new RangeError(`Tight's filter ${filter}`);
    const data = await this.#data(reader, kind & 3, width * height * TIGHT_PIXEL);
    if (filter === FILTER.gradient) undoGradient(data, width, height);
    raster.drawCompact(region, data, 0, rgbAt);
  }

  close(): void {
    for (let i = 0; i < STREAMS; i++) this.#restart(i);
  }

  #restart(i: number): void {
    this.#streams[i]?.close();
    this.#streams[i] = undefined;
  }

  async #palette(reader: ByteReader): Promise<number[]> {
    const count = (await reader.take(1))[0] + 1, bytes = await reader.take(count * TIGHT_PIXEL);
    return Array.from({ length: count }, (_, i) => rgbAt(bytes, i * TIGHT_PIXEL));
  }

  async #data(reader: ByteReader, stream: number, size: number): Promise<Uint8Array> {
    if (size < LEAST_PACKED) return await reader.take(size);
    const packed = await reader.take(await compactLength(reader));
    const data = await (this.#streams[stream] ??= new Inflater()).unpack(packed, size);
    if (data.length !== size) {
      throw new RangeError(`Tight data unpacked to ${data.length} bytes instead of ${size}`);
    }
    return data;
  }
}

/** Reads a length of 7 bits in each of up to three bytes, the lowest first. */
async function compactLength(reader: ByteReader): Promise<number> {
  let length = 0;
  for (let shift = 0; shift <= 14; shift += 7) {
    const [byte] = await reader.take(1), isLast = shift === 14 || byte < 128;
    length |= (shift === 14 ? byte : byte & 127) << shift;
    if (isLast) break;
  }
  return length;
}

/** Replaces differences from a prediction by the values: left plus above, minus the pixel between them. */
function undoGradient(data: Uint8Array, width: number, height: number): void {
  const stride = width * TIGHT_PIXEL;
  for (let row = 0; row < height; row++) {
    for (let i = 0; i < stride; i++) {
      const at = row * stride + i;
      const left = i >= TIGHT_PIXEL ? data[at - TIGHT_PIXEL] : 0, above = row ? data[at - stride] : 0;
      const between = row && i >= TIGHT_PIXEL ? data[at - stride - TIGHT_PIXEL] : 0;
      data[at] = data[at] + Math.max(0, Math.min(255, left + above - between));
    }
  }
}

// Decodes ZRLE (RFC 6143 section 7.7.6): tiles of 64 by 64 pixels, each raw, with a palette, or as runs.
// Pure.

const TILE = 64;
/** Subencodings: plain runs, the first of the palette runs, and the largest packed palette. */
const RUNS = 128, FIRST_PALETTE_RUNS = 130, LARGEST_PACKED = 16;
/** Size of a pixel, in bytes. */
const CPIXEL = 3;

/**
 * Draws a rectangle's uncompressed data.
 * @throws RangeError if the data is damaged.
 */
function drawZrle(data: Uint8Array, region: Region, raster: Raster): void {
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
      this.#at += CPIXEL * tile.width * tile.height;
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

  /** @throws RangeError if data is left over or missing. */
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
    this.#at += CPIXEL;
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
      if (!(end <= count)) throw new RangeError("a ZRLE run extends beyond its tile"); // or data is missing
      while (done < end) {
        const column = done % width, part = Math.min(end - done, width - column);
        const to = (y + Math.floor(done / width)) * across + x + column;
        words.fill(pixel, to, to + part);
        done += part;
      }
    }
  }
}

// A server's zlib stream, which continues from rectangle to rectangle, uncompressed to a bounded size.

/** A zlib stream. */
class Inflater {
  readonly #stream: Inflate = nodeModule("node:zlib").createInflate({ chunkSize: 65536 });
  #parts: Uint8Array[] = [];
  #size = 0;
  #most = 0;
  #fail: (error: Error) => void = () => {};

  constructor() {
    this.#stream.on("data", (part: Uint8Array) => this.#take(part));
    this.#stream.on(
      "error",
      (error: Error) => this.#fail(new RangeError(`broken zlib data: ${error.message}`)),
    );
  }

  /**
   * Uncompresses the next piece.
   * @param most Maximum uncompressed size, in bytes.
   * @throws RangeError if it is larger or broken.
   */
  unpack(bytes: Uint8Array, most: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      [this.#parts, this.#size, this.#most, this.#fail] = [[], 0, most, reject];
      this.#stream.write(bytes, () => resolve(this.#taken()));
    });
  }

  close(): void {
    this.#stream.destroy();
  }

  #take(part: Uint8Array): void {
    this.#size += part.length;
    if (this.#size <= this.#most) return void this.#parts.push(part);
    this.#parts = [];
    this.#stream.destroy();
    this.#fail(new RangeError("compressed data has more pixels than the rectangle"));
  }

  #taken(): Uint8Array {
    return this.#parts.length === 1 ? this.#parts[0] : concat(...this.#parts);
  }
}

// The picture that decoders draw into: a word of 0xRRGGBB per pixel, in rows without gaps. Pure.

/** Reads a connection's bytes. */
export interface ByteReader {
  /** @throws StreamEnded if the connection ends first. */
  take(count: number): Promise<Uint8Array>;
}

/** Reads a pixel of 32 or 24 bits, little-endian, as 0xRRGGBB. */
function pixelAt(bytes: Uint8Array, at: number): number {
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

  /** Draws 32-bit pixels in rows without gaps. */
  draw({ x, y, width, height }: Region, pixels: Uint8Array): void {
    for (let row = 0; row < height; row++) {
      const from = pixels.subarray(4 * row * width, 4 * (row + 1) * width);
      this.#bytes.set(from, 4 * ((y + row) * this.width + x));
    }
  }

  /**
   * Draws 24-bit pixels in rows without gaps.
   * @param data Contains the pixels, starting at `at`.
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
   * Draws pixels with a palette; each row starts at a byte boundary.
   * @param data Contains the rows, starting at `at`.
   * @param bits Bits per pixel: 1, 2, 4 or 8.
   * @returns The position after the last row.
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
