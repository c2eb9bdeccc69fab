/** Reads PNG and BMP files; their first bytes say which they are. */

import type { Bytes } from "../../core/bytes.ts";
import { InputError } from "../../core/errors.ts";
import { type Bitmap, checkFits, type Size } from "./bitmap.ts";
import { bmpHeader, readBmp } from "./read_bmp.ts";
import { pngHeader, readPng } from "./read_png.ts";
import { isBmp, isPng } from "./signatures.ts";

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
