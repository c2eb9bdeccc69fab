/** Reads PNG and BMP files; their first bytes say which they are. */

import type { Bytes } from "../../core/bytes.ts";
import { InputError, StateError } from "../../core/errors.ts";
import type { Frame } from "../desktop/desktop.ts";
import { type Bitmap, checkFits, isBmp, isPng, type Size } from "./bitmap.ts";
import { encodeBmp } from "./bmp.ts";
import { makePicture } from "./picture_maker.ts";
import { bmpHeader, readBmp } from "./read_bmp.ts";
import { pngHeader, readPng } from "./read_png.ts";

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
 * Reads a picture. `within` bounds the memory that it takes: a file that promises more pixels is refused by its header.
 * @param within The largest width and height allowed.
 * @throws InputError if the picture is larger, no PNG or BMP file, or damaged.
 */
export function readPicture(file: Bytes, within: Size): Bitmap {
  checkFits(pictureSize(file), within, "allowed");
  return isPng(file) ? readPng(file) : readBmp(file);
}

// Pictures of the clipboard in several file formats: programs exchange PNG files, and on Windows often only
// bitmaps.

/** Pixels of the largest picture that is converted, a little more than an 8K screen has. */
const PIXELS_LIMIT = 2 ** 25;
/** The colour of transparent pixels in a bitmap. */
const WHITE = 0xffffff;

/**
 * Makes a BMP file of a PNG file. Transparent pixels become white: few programs know transparency in a bitmap.
 * @throws InputError if the PNG is damaged or too large.
 */
export function bmpOfPng(png: Bytes): Bytes {
  checkPixels(pngHeader(png));
  const { width, height, pixels, opaque } = readPng(png);
  if (opaque) pixels.forEach((_, i) => opaque[i] || (pixels[i] = WHITE));
  return encodeBmp(frameOf({ width, height, pixels }));
}

/**
 * Makes a PNG file of the BMP file that a program copied.
 * @throws StateError if the BMP file cannot be read; BusyError if too many pictures are being made.
 */
export async function pngOfBmp(bmp: Bytes): Promise<Bytes> {
  try {
    checkPixels(bmpHeader(bmp));
    const picture = readBmp(bmp);
    return (await makePicture((memory) => Promise.try(() => memory.share(frameOf(picture))))).file;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new StateError(`the picture on the clipboard is none that can be converted: ${error.message}`);
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
