/** Makes a thumbnail from a picture file: PNG and BMP with own code, JPEG if libturbojpeg is installed. */

import { attempt } from "../../core/errors.ts";
import type { Bitmap, Pixels } from "../../control/image/bitmap.ts";
import { encodePng } from "../../control/image/png.ts";
import { READ_LIMIT, readPicture } from "../../control/image/read_picture.ts";
import { shrunk } from "../../control/image/shrink.ts";
import type { Bytes } from "../../core/bytes.ts";
import { openJpegEncoder, openJpegReader } from "../../ffi/jpeg.ts";

// Reads the camera orientation from a photo (Exif 2.32, tag 0x0112), and rotates pixels accordingly.

const ORIENTATION = 0x0112;

/**
 * Reads a JPEG file's orientation.
 * @returns 1 to 8; 1, which is upright, if the file does not contain it.
 */
export function orientationOf(file: Bytes): number {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  try {
    for (let at = 2; view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
      const marker = view.getUint8(at + 1);
      if (marker === 0xda) return 1; // the image data begins
      if (marker === 0xe1 && view.getUint32(at + 4) === 0x45786966) return inExif(view, at + 10);
    }
  } catch {
    // The file ends in the middle of a segment.
  }
  return 1;
}

/** @param start Offset of the TIFF header. */
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

/** Rotates and mirrors pixels so that the picture is upright. */
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

/**
 * The longer edge of a thumbnail, in pixels: a gallery tile on a screen with two device pixels per CSS pixel.
 */
const EDGE = 480;
/** Maximum edge of a file to read, in pixels. */
const EDGE_LIMIT = 16384;
/** The background colour of transparent pixels, as 0xRRGGBB. */
const BELOW = 0xf0f0f0;

let jpeg: { read: ReturnType<typeof openJpegReader>; write: ReturnType<typeof openJpegEncoder> } | undefined;

/**
 * Makes a thumbnail.
 * @returns A JPEG file, or a PNG file if libturbojpeg is not installed; undefined if the file cannot be read,
 * takes too much memory, or is small itself.
 */
export function makeThumbnail(file: Bytes): Uint8Array<ArrayBuffer> | undefined {
  jpeg ??= { read: openJpegReader(), write: openJpegEncoder() };
  const isJpeg = file[0] === 0xff && file[1] === 0xd8;
  const picture = isJpeg ? jpeg.read?.(file, EDGE, READ_LIMIT) : readOther(file);
  if (!picture) return undefined;
  const scale = Math.min(1, EDGE / Math.max(picture.width, picture.height));
  if (scale === 1 && !isJpeg) return undefined;
  const size = {
    width: Math.max(1, Math.round(picture.width * scale)),
    height: Math.max(1, Math.round(picture.height * scale)),
  };
  const small = upright(shrunk<Pixels>(picture, size), isJpeg ? orientationOf(file) : 1);
  const whole = { x: 0, y: 0, width: small.width, height: small.height };
  const pixels = new Uint8Array(small.pixels);
  return jpeg.write?.(pixels, small.stride, whole).slice() ?? encodePng(small);
}

function readOther(file: Bytes): Pixels | undefined {
  // The file may be damaged, or in another format than its name says.
  return attempt(() => pixelsOf(readPicture(file, { width: EDGE_LIMIT, height: EDGE_LIMIT })));
}

/** Reads pixels as 32-bit numbers 0xRRGGBB; on little-endian machines their bytes are blue, green, red. */
function pixelsOf({ width, height, pixels, opaque }: Bitmap): Pixels {
  if (opaque) { for (let i = 0; i < pixels.length; i++) if (!opaque[i]) pixels[i] = BELOW; }
  return { width, height, stride: width * 4, pixels: new Uint8Array(pixels.buffer) };
}
