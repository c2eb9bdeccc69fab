/** The pointer's picture as VNC servers send it. */

import type { Region } from "../../control/desktop/desktop.ts";
import type { PointerImage } from "../../control/desktop/screen.ts";
import { ENCODING, int32 } from "../../rfb/protocol.ts";
import type { ByteReader } from "./decoders/raster.ts";
import { POINTER_LIMIT } from "./picture.ts";

/** The most pixels of a picture that is read at all. */
const PIXEL_LIMIT = 1 << 22;

/**
 * Reads a picture of the pointer: with alpha, or with a mask of one bit a pixel.
 * @param region Its size, and the pixel that points as its place.
 * @returns undefined if the picture is larger than those that are shown.
 * @throws RangeError if it is damaged.
 */
export async function readCursor(
  reader: ByteReader,
  { x, y, width, height }: Region,
  encoding: number,
): Promise<PointerImage | undefined> {
  const count = width * height, hasAlpha = encoding === ENCODING.cursorWithAlpha;
  if (count > PIXEL_LIMIT) throw new RangeError(`a pointer of ${width}x${height} pixels is too large`);
  if (hasAlpha) {
    const inner = int32(await reader.take(4), 0);
    if (inner !== ENCODING.raw) throw new RangeError(`pointers in encoding ${inner} are not supported`);
  }
  const pixels = (await reader.take(4 * count)).slice(), stride = width + 7 >> 3;
  const mask = hasAlpha ? undefined : await reader.take(stride * height);
  if (width > POINTER_LIMIT || height > POINTER_LIMIT) return undefined;
  if (mask) {
    for (let i = 0; i < count; i++) {
      const isOpaque = mask[Math.floor(i / width) * stride + (i % width >> 3)] >> 7 - (i % width & 7) & 1;
      const [blue, green, red] = pixels.subarray(4 * i, 4 * i + 3);
      pixels.set(isOpaque ? [red, green, blue, 255] : [0, 0, 0, 0], 4 * i);
    }
  }
  return { width, height, hot: { x, y }, rgba: pixels };
}
