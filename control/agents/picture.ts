/** Pictures for agents: shrunk, within a budget of bytes, with the words that tell a model how to use them. */

import type { Frame, Region } from "../desktop.ts";
import type { Size } from "../image/bitmap.ts";
import { queuedPng } from "../image/png.ts";
import { shrunk } from "../image/shrink.ts";
import type { Operator } from "../operator.ts";

/** Bytes of a picture: clients take 1 MB a result, of which base64 takes a quarter. */
const BUDGET = 700_000;

/** A PNG file and its size in pixels. */
export interface BoundedPicture extends Size {
  png: Uint8Array<ArrayBuffer>;
}

/**
 * Captures a region as a PNG file within the budget: one that is larger is shrunk to the half until it fits.
 * @param size Of the picture; not larger than the region.
 */
export async function boundedPicture(
  operator: Operator,
  region: Region,
  cursor: boolean,
  size: Size,
): Promise<BoundedPicture> {
  let picture!: Frame;
  const png = await queuedPng((encode) =>
    operator.capture(region, cursor, async (frame) => {
      picture = kept(frame, size);
      let file = await encode(picture);
      while (file.length > BUDGET) {
        const { width, height } = picture;
        picture = shrunk(picture, { width: Math.ceil(width / 2), height: Math.ceil(height / 2) });
        file = await encode(picture);
      }
      return file;
    })
  );
  return { png, width: picture.width, height: picture.height };
}

/** A frame of this size in memory of its own, since the desktop's is overwritten. */
function kept(frame: Frame, size: Size): Frame {
  const small = shrunk(frame, size);
  return small === frame ? { ...frame, pixels: frame.pixels.slice() } : small;
}
