/** Reads PNG and BMP files; their first bytes say which they are. */

import type { Bytes } from "../../core/bytes.ts";
import { InputError, StateError } from "../../core/errors.ts";
import type { Frame } from "../desktop/desktop.ts";
import { type Bitmap, checkFits, isBmp, isPng, type Size } from "./bitmap.ts";
import { encodeBmp } from "./bmp.ts";
import { encodePng } from "./png.ts";
import { bmpHeader, readBmp } from "./read_bmp.ts";
import { pngHeader, rawLength, readPng } from "./read_png.ts";

/** The most bytes of memory that reading a picture takes beside its file. */
export const READ_LIMIT = 128 * 1024 * 1024;
/** Bytes of a pixel in a bitmap, and of its transparency. */
const PIXEL = 4, OPAQUE = 1;

/**
 * The size of a picture by its header; the rest is not read.
 * @throws InputError if the file is no PNG or BMP file, or of an unsupported kind.
 */
export function pictureSize(file: Bytes): Size {
  if (isPng(file)) return pngHeader(file);
  if (isBmp(file)) return bmpHeader(file);
  throw new InputError("the picture must be a PNG or BMP file");
}

/**
 * Checks that a picture can be read within {@linkcode READ_LIMIT}. Its header says how much memory it takes: an inflated
 * PNG file is in memory beside its pixels.
 * @throws InputError if it takes more, or as {@linkcode pictureSize}.
 */
function checkReadable(file: Bytes): void {
  const { width, height } = pictureSize(file), pixels = width * height;
  const raw = isPng(file) ? rawLength(pngHeader(file)) : 0;
  if (raw + pixels * (PIXEL + OPAQUE) <= READ_LIMIT) return;
  throw new InputError(
    `reading the picture (${width}x${height}) takes more than ${READ_LIMIT >> 20} MiB of memory`,
  );
}

/**
 * Reads a picture. `within` bounds the memory that it takes: a file that promises more pixels is refused by its header.
 * @param within The largest width and height allowed.
 * @throws InputError if the picture is larger, takes more memory than {@linkcode READ_LIMIT}, is no PNG or BMP file, or
 * is damaged.
 */
export function readPicture(file: Bytes, within: Size): Bitmap {
  checkFits(pictureSize(file), within, "allowed");
  checkReadable(file);
  return isPng(file) ? readPng(file) : readBmp(file);
}

// Pictures of the clipboard in several file formats: programs exchange PNG files, and on Windows often only
// bitmaps. A Worker converts them (converter.ts): other programs, and callers, choose their size.

/** Pixels of the largest picture that is converted. */
const PIXELS_LIMIT = 2 ** 25;
/** The colour of transparent pixels in a bitmap. */
const WHITE = 0xffffff;

/**
 * Makes a BMP file of a PNG file. Transparent pixels become white: few programs know transparency in a bitmap.
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
 * Makes a PNG file of the BMP file that a program copied.
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
