/** PNG files of a size and within a budget of bytes. */

import type { Pixels, Size } from "./bitmap.ts";
import { encodePng } from "./png.ts";
import { shrunk } from "./shrink.ts";

/** What is to be made of a frame. */
export interface PngShape {
  /** The size of the picture, not larger than the frame in either direction; that of the frame if left out. */
  size?: Size;
  /** Bytes that the file may have: a picture whose file is larger is shrunk to the half until it fits. */
  budget?: number;
}

/** A PNG file and the size of its picture. */
export interface PngFile extends Size {
  file: Uint8Array<ArrayBuffer>;
}

/** Makes the file of a frame. */
export function boundedPng(
  frame: Pixels,
  { size = frame, budget = Infinity }: PngShape,
): PngFile {
  for (let { width, height } = size;; width = Math.ceil(width / 2), height = Math.ceil(height / 2)) {
    frame = shrunk(frame, { width, height });
    const file = encodePng(frame);
    if (file.length <= budget) return { file, width, height };
  }
}
