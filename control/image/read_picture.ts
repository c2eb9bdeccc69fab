/**
 * Reads PNG and BMP files, which it distinguishes by their first bytes. BMP (Microsoft, "Bitmap Storage";
 * BITMAPCOREHEADER to BITMAPV5HEADER) has 1, 4, 8, 16, 24 or 32 bits per pixel, rows from the bottom up or
 * from the top down, and masks. Files compressed with run lengths, JPEG or PNG are rejected.
 */

import type { Bytes } from "../../core/bytes.ts";
import { InputError, StateError } from "../../core/errors.ts";
import type { Frame } from "../desktop/desktop.ts";
import { type Bitmap, BitmapWriter, checkFits, encodeBmp, isBmp, isPng, type Size } from "./bitmap.ts";
import { encodePng } from "./png.ts";
import { pngHeader, rawLength, readPng } from "./read_png.ts";

/** Maximum memory for reading a picture in addition to its file, in bytes. */
export const READ_LIMIT = 128 * 1024 * 1024;
/** Bytes per pixel in a bitmap, and for its transparency. */
const PIXEL = 4, OPAQUE = 1;

/**
 * The size of a picture from its header; nothing else is read.
 * @throws InputError if the file is not a PNG or BMP file, or of an unsupported kind.
 */
export function pictureSize(file: Bytes): Size {
  if (isPng(file)) return pngHeader(file);
  if (isBmp(file)) return bmpHeader(file);
  throw new InputError("the picture must be a PNG or BMP file");
}

/**
 * Checks that a picture can be read within {@linkcode READ_LIMIT}. Its header determines the memory required:
 * an inflated PNG file is in memory together with its pixels.
 * @throws InputError if it needs more; the errors of {@linkcode pictureSize}.
 */
function checkReadable(file: Bytes): void {
  const { width, height } = pictureSize(file), pixels = width * height;
  const raw = isPng(file) ? rawLength(pngHeader(file)) : 0;
  if (raw + pixels * (PIXEL + OPAQUE) <= READ_LIMIT) return;
  throw new InputError(
    `reading the picture (${width}x${height}) would need more than ${READ_LIMIT >> 20} MiB of memory`,
  );
}

/**
 * Reads a picture. `within` limits its memory: a file that declares more pixels is rejected by its header.
 * @param within Maximum width and height.
 * @throws InputError if the picture is larger, needs more memory than {@linkcode READ_LIMIT}, is not a PNG or
 * BMP file, or is damaged.
 */
export function readPicture(file: Bytes, within: Size): Bitmap {
  checkFits(pictureSize(file), within, "allowed");
  checkReadable(file);
  return isPng(file) ? readPng(file) : readBmp(file);
}

// Clipboard pictures in several file formats: programs exchange PNG files, and on Windows often only bitmaps.
// A Worker converts them (converter.ts), since other programs and callers choose their size.

/** Maximum number of pixels of a picture to convert. */
const PIXELS_LIMIT = 2 ** 25;
/** Replaces transparent pixels in a bitmap. */
const WHITE = 0xffffff;

/**
 * Converts a PNG file to BMP. Transparent pixels become white: few programs support transparency in a bitmap.
 * @throws InputError if the PNG is damaged or too large.
 */
export function bmpOfPng(png: Bytes): Bytes {
  checkPixels(pngHeader(png));
  checkReadable(png);
  const { width, height, pixels, opaque } = readPng(png);
  if (opaque) pixels.forEach((_, i) => opaque[i] || (pixels[i] = WHITE));
  return encodeBmp(frameOf({ width, height, pixels }));
}

/**
 * Converts a BMP file copied by a program to PNG.
 * @throws StateError if the BMP file cannot be read.
 */
export function pngOfBmp(bmp: Bytes): Bytes {
  try {
    checkPixels(bmpHeader(bmp));
    checkReadable(bmp);
    return encodePng(frameOf(readBmp(bmp)));
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new StateError(`cannot convert the picture on the clipboard: ${error.message}`);
  }
}

/** @throws InputError if a picture has too many pixels. */
function checkPixels({ width, height }: Size): void {
  if (width * height <= PIXELS_LIMIT) return;
  throw new InputError(`the picture (${width}x${height}) has more than ${PIXELS_LIMIT} pixels`);
}

/** Views a bitmap's memory as a frame: rows of blue, green, red and an unused byte; processors are little-endian. */
function frameOf({ width, height, pixels }: Bitmap): Frame {
  return { width, height, stride: width * 4, pixels: new Uint8Array(pixels.buffer) };
}

/** Size of BITMAPFILEHEADER, followed by the bitmap header. */
const FILE_HEADER = 14;
/** Size of BITMAPCOREHEADER, which has shorter fields than all later headers. */
const CORE_HEADER = 12;
/**
 * Size of BITMAPINFOHEADER; masks follow this header, or are the first additional fields of later headers.
 */
const INFO_HEADER = 40;
/** The smallest header with an alpha mask: BITMAPV3INFOHEADER. */
const ALPHA_HEADER = 56;
/** biCompression. */
const COMPRESSION = { none: 0, masks: 3, alphaMasks: 6 };
const DEPTHS = [1, 4, 8, 16, 24, 32];
/** Default masks of red, green and blue. */
const USUAL_MASKS: Record<number, number[]> = {
  16: [0x7c00, 0x3e0, 0x1f, 0],
  32: [0xff0000, 0xff00, 0xff, 0],
};

interface BmpHeader extends Size {
  /** Bits per pixel. */
  depth: number;
  topDown: boolean;
  /** Offset of the pixels, in bytes. */
  start: number;
  /** Masks of red, green, blue and alpha; only for 16 and 32 bits per pixel. */
  masks: number[];
  /** Offset of the palette, and bytes per entry. */
  palette: { start: number; entry: number };
}

/**
 * Reads the headers.
 * @param file Starts with the BMP signature.
 * @throws InputError if they are damaged or unsupported.
 */
function bmpHeader(file: Bytes): BmpHeader {
  if (file.length < FILE_HEADER + CORE_HEADER) throw damaged("it is truncated");
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const start = view.getUint32(10, true), size = view.getUint32(FILE_HEADER, true);
  const isCore = size === CORE_HEADER;
  if (!isCore && (size < INFO_HEADER || file.length < FILE_HEADER + size)) {
    throw damaged("its header type is not supported");
  }
  const width = isCore ? view.getUint16(18, true) : view.getInt32(18, true);
  const height = isCore ? view.getUint16(20, true) : view.getInt32(22, true);
  const depth = view.getUint16(isCore ? 24 : 28, true);
  const compression = isCore ? COMPRESSION.none : view.getUint32(30, true);
  if (width < 1 || height === 0) throw damaged("it has no pixels");
  if (!DEPTHS.includes(depth)) throw damaged(`it has ${depth} bits per pixel`);
  if (!Object.values(COMPRESSION).includes(compression)) {
    throw damaged("it is compressed; save it without, or as a PNG");
  }
  return {
    width,
    height: Math.abs(height),
    depth,
    topDown: height < 0,
    start,
    masks: compression === COMPRESSION.none ? USUAL_MASKS[depth] ?? [] : masksOf(view, size, compression),
    palette: { start: FILE_HEADER + size, entry: isCore ? 3 : 4 },
  };
}

function masksOf(view: DataView, size: number, compression: number): number[] {
  const count = size >= ALPHA_HEADER || compression === COMPRESSION.alphaMasks ? 4 : 3;
  const at = FILE_HEADER + INFO_HEADER;
  if (view.byteLength < at + count * 4) throw damaged("it is truncated");
  const masks = Array.from({ length: count }, (_, i) => view.getUint32(at + i * 4, true));
  return count === 4 ? masks : [...masks, 0];
}

/**
 * Reads a file. The caller has checked that a picture of the declared size may be held in memory.
 * @throws InputError if it is damaged.
 */
export function readBmp(file: Bytes): Bitmap {
  const header = bmpHeader(file), { width, height, depth, topDown, start } = header;
  const rowBytes = Math.ceil(width * depth / 32) * 4;
  if (start < FILE_HEADER || file.length < start + rowBytes * height) throw damaged("it is truncated");
  const picture = new BitmapWriter({ width, height });
  const write = depth <= 8 ? paletteWriter(file, header, picture) : colorWriter(file, header, picture);
  for (let row = 0; row < height; row++) {
    const from = start + rowBytes * (topDown ? row : height - 1 - row);
    for (let column = 0; column < width; column++) write(from, column, row * width + column);
  }
  return picture.bitmap();
}

/** Writes the pixel in a column of the row at byte `from` to the index `at`. */
type PixelWriter = (from: number, column: number, at: number) => void;

function paletteWriter(
  file: Bytes,
  { depth, palette, start }: BmpHeader,
  picture: BitmapWriter,
): PixelWriter {
  const most = 2 ** depth - 1, end = Math.min(start, file.length) - 2;
  return (from, column, at) => {
    const bit = column * depth;
    const entry = palette.start + palette.entry * (file[from + (bit >> 3)] >> 8 - depth - (bit & 7) & most);
    if (entry >= end) throw damaged("a pixel is not in the palette");
    picture.set(at, file[entry + 2] << 16 | file[entry + 1] << 8 | file[entry], 255);
  };
}

function colorWriter(file: Bytes, { depth, masks }: BmpHeader, picture: BitmapWriter): PixelWriter {
  if (depth === 24) {
    return (from, column, at) => {
      const i = from + column * 3;
      picture.set(at, file[i + 2] << 16 | file[i + 1] << 8 | file[i], 255);
    };
  }
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const [red, green, blue, alpha] = masks.map(channel);
  return (from, column, at) => {
    const value = depth === 16
      ? view.getUint16(from + column * 2, true)
      : view.getUint32(from + column * 4, true);
    picture.set(at, red(value) << 16 | green(value) << 8 | blue(value), masks[3] ? alpha(value) : 255);
  };
}

/** Makes a function that extracts one channel of a pixel, as 0 to 255. */
function channel(mask: number): (value: number) => number {
  if (!mask) return () => 0;
  const shift = 31 - Math.clz32(mask & -mask), most = mask >>> shift;
  return (value) => Math.round(((value & mask) >>> shift) * 255 / most);
}

function damaged(how: string): InputError {
  return new InputError(`cannot read the BMP: ${how}`);
}
