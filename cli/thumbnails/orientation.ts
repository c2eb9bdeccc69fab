/** Reads the camera's orientation from a photograph (Exif 2.32, tag 0x0112), and turns pixels accordingly. */

import type { Bytes } from "../../core/bytes.ts";
import type { Pixels } from "../../control/image/bitmap.ts";

const ORIENTATION = 0x0112;

/**
 * Reads the orientation of a JPEG file.
 * @returns 1 to 8; 1, which is upright, if the file does not tell.
 */
export function orientationOf(file: Bytes): number {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  try {
    for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
      const marker = view.getUint8(at + 1);
      if (marker === 0xda) return 1; // the picture begins
      if (marker === 0xe1 && view.getUint32(at + 4) === 0x45786966) return inExif(view, at + 10);
    }
  } catch {
    // The file ends in the middle of a segment.
  }
  return 1;
}

/** @param start Of the TIFF header. */
function inExif(view: DataView, start: number): number {
  const little = view.getUint16(start) === 0x4949;
  const folder = start + view.getUint32(start + 4, little);
  const count = view.getUint16(folder, little);
  for (let entry = 0; entry < count; entry++) {
    const at = folder + 2 + 12 * entry;
    if (view.getUint16(at, little) !== ORIENTATION) continue;
    const value = view.getUint16(at + 8, little);
    return value >= 1 && value <= 8 ? value : 1;
  }
  return 1;
}

/** Turns and mirrors pixels so that the picture is upright. */
export function upright(picture: Pixels, orientation: number): Pixels {
  if (orientation === 1) return picture;
  const { width: wide, height: high, stride } = picture, isTurned = orientation > 4;
  const [width, height] = isTurned ? [high, wide] : [wide, high];
  const from = new Uint32Array(picture.pixels.buffer, picture.pixels.byteOffset, stride * high >> 2);
  const to = new Uint32Array(width * height);
  const isMirrored = [2, 3, 6, 7].includes(orientation), isFlipped = [3, 4, 7, 8].includes(orientation);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const left = isMirrored ? width - 1 - x : x, up = isFlipped ? height - 1 - y : y;
      const [column, row] = isTurned ? [up, left] : [left, up];
      to[y * width + x] = from[row * (stride >> 2) + column];
    }
  }
  return { width, height, stride: width * 4, pixels: new Uint8Array(to.buffer) };
}
