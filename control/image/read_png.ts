/**
 * Reads PNG files (W3C "Portable Network Graphics", third edition): every colour type and depth, interlaced
 * or not, with transparency. 16-bit samples lose their lower 8 bits; colour profiles and gamma are ignored.
 */

import type { Bytes } from "../../core/bytes.ts";
import { InputError } from "../../core/errors.ts";
import { nodeModule } from "../../core/path.ts";
import { type Bitmap, BitmapWriter, PNG_SIGNATURE, type Size } from "./bitmap.ts";

// Converts the inflated bytes of a PNG file to pixels: filters, sample depths, palette, interlacing.

/** The header of a PNG file (section 11.2.1). */
interface PngHeader extends Size {
  /** Bits per sample. */
  depth: number;
  colorType: number;
  interlaced: boolean;
}

/** Chunks that affect the pixels. */
interface PngPalette {
  /** PLTE: red, green and blue of each entry. */
  colors?: Uint8Array;
  /** tRNS: alpha of each entry, or the single transparent colour. */
  transparency?: Uint8Array;
}

/** Pixels that are stored together: every `dx`th in every `dy`th row. */
interface Pass {
  x: number;
  y: number;
  dx: number;
  dy: number;
}

/** Samples per pixel, by colour type. */
const SAMPLES: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const WHOLE: Pass[] = [{ x: 0, y: 0, dx: 1, dy: 1 }];
/** Adam7 (section 8.2). */
const INTERLACED: Pass[] = [
  { x: 0, y: 0, dx: 8, dy: 8 },
  { x: 4, y: 0, dx: 8, dy: 8 },
  { x: 0, y: 4, dx: 4, dy: 8 },
  { x: 2, y: 0, dx: 4, dy: 4 },
  { x: 0, y: 2, dx: 2, dy: 4 },
  { x: 1, y: 0, dx: 2, dy: 2 },
  { x: 0, y: 1, dx: 1, dy: 2 },
];

/** Number of bytes of all rows, including a filter byte per row. */
export function rawLength(header: PngHeader): number {
  return passes(header).reduce((sum, { rows, rowBytes }) => sum + rows * (1 + rowBytes), 0);
}

/**
 * Decodes the pixels.
 * @param raw {@linkcode rawLength} bytes, which are modified.
 * @throws InputError if a filter type or a palette entry does not exist.
 */
function pngPixels(header: PngHeader, raw: Uint8Array, palette: PngPalette): Bitmap {
  const picture = new BitmapWriter(header);
  const write = pixelWriter(header, palette, picture);
  const reach = Math.max(1, SAMPLES[header.colorType] * header.depth >> 3);
  let at = 0;
  for (const { x, y, dx, dy, columns, rows, rowBytes } of passes(header)) {
    let above: Uint8Array = new Uint8Array(rowBytes);
    for (let row = 0; row < rows; row++) {
      const filter = raw[at], bytes = raw.subarray(at + 1, at + 1 + rowBytes);
      unfilter(filter, bytes, above, reach);
      const start = (y + row * dy) * header.width + x;
      for (let column = 0; column < columns; column++) write(bytes, column, start + column * dx);
      above = bytes;
      at += 1 + rowBytes;
    }
  }
  return picture.bitmap();
}

/** The non-empty passes with their sizes. */
function passes({ width, height, depth, colorType, interlaced }: PngHeader) {
  return (interlaced ? INTERLACED : WHOLE).map((pass) => {
    const columns = Math.ceil((width - pass.x) / pass.dx), rows = Math.ceil((height - pass.y) / pass.dy);
    return { ...pass, columns, rows, rowBytes: Math.ceil(columns * SAMPLES[colorType] * depth / 8) };
  }).filter(({ columns, rows }) => columns > 0 && rows > 0);
}

/**
 * Filter predictors, which are added to a byte: from the byte to the left, above, and above left (section
 * 9.2).
 */
const PREDICTORS: ((left: number, up: number, corner: number) => number)[] = [
  () => 0,
  (left) => left,
  (_, up) => up,
  (left, up) => left + up >> 1,
  (left, up, corner) => {
    const estimate = left + up - corner;
    const toLeft = Math.abs(estimate - left), toUp = Math.abs(estimate - up);
    const toCorner = Math.abs(estimate - corner);
    return toLeft <= toUp && toLeft <= toCorner ? left : toUp <= toCorner ? up : corner;
  },
];

/** @param reach Distance in bytes to the same byte of the previous pixel. */
function unfilter(type: number, row: Uint8Array, above: Uint8Array, reach: number): void {
  const predict = PREDICTORS[type];
  if (!predict) throw new InputError("cannot read the PNG: a row has an unknown filter");
  if (type === 0) return;
  for (let i = 0; i < row.length; i++) {
    const left = i < reach ? 0 : row[i - reach], corner = i < reach ? 0 : above[i - reach];
    row[i] += predict(left, above[i], corner);
  }
}

/** Makes a function that writes the pixel in a given column of a row. */
function pixelWriter({ depth, colorType }: PngHeader, palette: PngPalette, picture: BitmapWriter) {
  const most = 2 ** depth - 1;
  const sample = (row: Uint8Array, i: number) =>
    depth === 8
      ? row[i]
      : depth === 16
      ? row[2 * i] << 8 | row[2 * i + 1]
      : row[i * depth >> 3] >> 8 - depth - (i * depth & 7) & most;
  const byte = (value: number) => depth === 8 ? value : depth === 16 ? value >> 8 : value * 255 / most;
  if (colorType === 3) return paletteWriter(sample, palette, picture);
  const count = SAMPLES[colorType], hasAlpha = colorType >= 4, isGrey = colorType === 0 || colorType === 4;
  const clear = hasAlpha ? undefined : clearColor(palette.transparency, count);
  return (row: Uint8Array, column: number, at: number) => {
    const i = column * count;
    const red = sample(row, i), green = isGrey ? red : sample(row, i + 1);
    const blue = isGrey ? red : sample(row, i + 2);
    const isClear = clear && red === clear[0] && green === clear[1] && blue === clear[2];
    const alpha = hasAlpha ? byte(sample(row, i + count - 1)) : isClear ? 0 : 255;
    picture.set(at, byte(red) << 16 | byte(green) << 8 | byte(blue), alpha);
  };
}

function paletteWriter(
  sample: (row: Uint8Array, i: number) => number,
  { colors = new Uint8Array(), transparency = new Uint8Array() }: PngPalette,
  picture: BitmapWriter,
) {
  const size = Math.floor(colors.length / 3);
  return (row: Uint8Array, column: number, at: number) => {
    const entry = sample(row, column);
    if (entry >= size) throw new InputError("cannot read the PNG: a pixel is not in the palette");
    const [red, green, blue] = colors.subarray(entry * 3, entry * 3 + 3);
    picture.set(at, red << 16 | green << 8 | blue, transparency[entry] ?? 255);
  };
}

/** The samples of the transparent colour, if there is one (section 11.3.2.1). */
function clearColor(transparency: Uint8Array | undefined, samples: number): number[] | undefined {
  if (!transparency || transparency.length < samples * 2) return undefined;
  const [red, green = red, blue = red] = Array.from(
    { length: samples },
    (_, i) => transparency[2 * i] << 8 | transparency[2 * i + 1],
  );
  return [red, green, blue];
}

/** zlib's minimum `chunkSize`, in bytes (Node's zlib). */
const LEAST_CHUNK = 64;
/** Bytes of a chunk other than its data: length, type, checksum. */
const CHUNK_FRAME = 12;
/** Allowed depths of each colour type (table 12). */
const DEPTHS: Record<number, number[]> = {
  0: [1, 2, 4, 8, 16], // grey
  2: [8, 16], // red, green, blue
  3: [1, 2, 4, 8], // palette
  4: [8, 16], // grey, alpha
  6: [8, 16], // red, green, blue, alpha
};

/** A part of a file. */
interface Chunk {
  type: string;
  data: Bytes;
}

/**
 * Reads the header.
 * @param file Starts with the PNG signature.
 * @throws InputError if it is damaged or of an unknown kind.
 */
export function pngHeader(file: Bytes): PngHeader {
  const { value: first } = chunks(file).next();
  if (first?.type !== "IHDR" || first.data.length !== 13) throw damaged("its header is missing");
  const view = new DataView(first.data.buffer, first.data.byteOffset, 13);
  const width = view.getUint32(0), height = view.getUint32(4);
  const [depth, colorType, compression, filter, interlace] = first.data.subarray(8);
  if (!width || !height) throw damaged("it has no pixels");
  if (!DEPTHS[colorType]?.includes(depth)) throw damaged("its colour type is unknown");
  if (compression || filter || interlace > 1) {
    throw damaged("its compression, filter or interlace method is unknown");
  }
  return { width, height, depth, colorType, interlaced: interlace === 1 };
}

/**
 * Reads a file. The caller has checked that a picture of the declared size fits in memory, which also limits
 * the inflated bytes.
 * @throws InputError if it is damaged.
 */
export function readPng(file: Bytes): Bitmap {
  const header = pngHeader(file);
  const data: Bytes[] = [];
  const palette: PngPalette = {};
  for (const { type, data: content } of chunks(file)) {
    if (type === "IDAT") data.push(content);
    else if (type === "PLTE") palette.colors = content;
    else if (type === "tRNS") palette.transparency = content;
    else if (type === "IEND") break;
  }
  if (header.colorType === 3 && !palette.colors) throw damaged("its palette is missing");
  return pngPixels(header, inflated(data, rawLength(header)), palette);
}

/** The chunks in order, up to the end of the file. */
function* chunks(file: Bytes): Generator<Chunk, void> {
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const { crc32 } = nodeModule("node:zlib");
  for (let at = PNG_SIGNATURE.length; at + CHUNK_FRAME <= file.length;) {
    const length = view.getUint32(at), end = at + CHUNK_FRAME + length;
    if (end > file.length) throw damaged("it is truncated");
    const typed = file.subarray(at + 4, end - 4);
    if (crc32(typed) !== view.getUint32(end - 4)) throw damaged("a checksum is wrong");
    yield { type: String.fromCharCode(...typed.subarray(0, 4)), data: typed.subarray(4) };
    at = end;
  }
}

/**
 * @param length Number of bytes that the header implies. Decompression stops there, since a small file could
 * otherwise fill the memory.
 */
function inflated(parts: Bytes[], length: number): Uint8Array {
  const { Buffer } = nodeModule("node:buffer"), { inflateSync } = nodeModule("node:zlib");
  let raw: Uint8Array;
  try {
    // A single output chunk: several would be in memory twice while they are joined.
    const bounds = { maxOutputLength: length, chunkSize: Math.max(LEAST_CHUNK, length + 1) };
    raw = inflateSync(parts.length === 1 ? parts[0] : Buffer.concat(parts), bounds);
  } catch (error) {
    const more = (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE";
    throw damaged(more ? "it holds more pixels than its header says" : "its pixels cannot be decompressed");
  }
  if (raw.length < length) throw damaged("it is truncated");
  return raw;
}

function damaged(how: string): InputError {
  return new InputError(`cannot read the PNG: ${how}`);
}
