/** Reads PNG and BMP files; their first bytes say which they are. */

import { InputError } from "../../core/errors.ts";
import { type Bitmap, checkFits, type Size } from "./bitmap.ts";
import { isPng } from "./png_signature.ts";
import { bmpHeader, isBmp, readBmp } from "./read_bmp.ts";
import { pngHeader, readPng } from "./read_png.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Whether bytes begin as a PNG or BMP file does. */
export function isPicture(bytes: Uint8Array): boolean {
  return isPng(bytes) || isBmp(bytes);
}

/**
 * The size of a picture by its header; nothing else is looked at.
 * @throws InputError if it is no PNG or BMP file, or of a kind that is not read.
 */
export function pictureSize(file: Bytes): Size {
  if (isPng(file)) return pngHeader(file);
  if (isBmp(file)) return bmpHeader(file);
  throw new InputError("the picture must be a PNG or BMP file");
}

/**
 * Reads a picture. What it takes in memory is bounded by `within`, whatever the file holds.
 * @param within The largest width and height allowed.
 * @throws InputError if it is larger, no PNG or BMP file, or damaged.
 */
export function readPicture(file: Bytes, within: Size): Bitmap {
  checkFits(pictureSize(file), within, "allowed");
  return isPng(file) ? readPng(file) : readBmp(file);
}
