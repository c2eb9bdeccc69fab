/** A small picture made of a picture file: PNG and BMP by own code, JPEG where libturbojpeg is installed. */

import type { Bytes } from "../../core/bytes.ts";
import type { Bitmap, Pixels } from "../../control/image/bitmap.ts";
import { encodePng } from "../../control/image/png.ts";
import { pictureSize, readPicture } from "../../control/image/read_picture.ts";
import { shrunk } from "../../control/image/shrink.ts";
import { openJpegEncoder } from "../../ffi/jpeg.ts";
import { openJpegReader } from "../../ffi/jpeg_reader.ts";
import { orientationOf, upright } from "./orientation.ts";

/** The longer edge of a small picture: a tile of the gallery, on a screen with two pixels for each of CSS. */
const EDGE = 480;
/** The most pixels that are in memory at once, 4 bytes each. */
const PIXELS_LIMIT = 24_000_000;
/** The longest edge of a file that is read. */
const EDGE_LIMIT = 16384;
/** The colour below transparent pixels, as 0xRRGGBB. */
const BELOW = 0xf0f0f0;

let jpeg: { read: ReturnType<typeof openJpegReader>; write: ReturnType<typeof openJpegEncoder> } | undefined;

/**
 * Makes a small picture.
 * @returns A JPEG file, or a PNG file where libturbojpeg is not installed; undefined if the file cannot be read, has too
 * many pixels, or is small itself.
 */
export function makeThumbnail(file: Bytes): Uint8Array<ArrayBuffer> | undefined {
  jpeg ??= { read: openJpegReader(), write: openJpegEncoder() };
  const isJpeg = file[0] === 0xff && file[1] === 0xd8;
  const picture = isJpeg ? jpeg.read?.(file, EDGE, PIXELS_LIMIT) : readOther(file);
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
  try {
    const { width, height } = pictureSize(file);
    if (width * height > PIXELS_LIMIT) return undefined;
    return pixelsOf(readPicture(file, { width: EDGE_LIMIT, height: EDGE_LIMIT }));
  } catch {
    return undefined; // the file is damaged, or has another format than its name says
  }
}

/** Reads pixels as 32-bit numbers 0xRRGGBB; on little-endian machines their bytes are blue, green, red. */
function pixelsOf({ width, height, pixels, opaque }: Bitmap): Pixels {
  if (opaque) { for (let i = 0; i < pixels.length; i++) if (!opaque[i]) pixels[i] = BELOW; }
  return { width, height, stride: width * 4, pixels: new Uint8Array(pixels.buffer) };
}
