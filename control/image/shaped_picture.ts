/** Files of pictures: of a size, and within a budget of bytes. */

import type { Pixels, Size } from "./bitmap.ts";
import { encodeBmp } from "./bmp.ts";
import { encodePng } from "./png.ts";
import { shrunk } from "./shrink.ts";

const ENCODERS = { bmp: encodeBmp, png: encodePng };

/** The picture to be made of a frame. */
export interface PictureShape {
  /** The size of the picture, not larger than the frame in either direction; the frame's size if left out. */
  size?: Size;
  /** "png" if left out. */
  format?: keyof typeof ENCODERS;
  /** Bytes that the file may have: a picture with a larger file is halved in size until its file fits. */
  budget?: number;
}

/** A file and the size of its picture. */
export interface PictureFile extends Size {
  file: Uint8Array<ArrayBuffer>;
}

/** Makes the file of a frame, in tens of milliseconds for a screen: a Worker calls it (picture_maker.ts). */
export function shapedPicture(
  frame: Pixels,
  { size = frame, format = "png", budget = Infinity }: PictureShape,
): PictureFile {
  for (let { width, height } = size;; width = Math.ceil(width / 2), height = Math.ceil(height / 2)) {
    frame = shrunk(frame, { width, height });
    const file = ENCODERS[format](frame);
    if (file.length <= budget) return { file, width, height };
  }
}
