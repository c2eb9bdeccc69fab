/** Pictures for agents: of the size of their view, within a budget of bytes. */

import { StateError } from "../../core/errors.ts";
import type { Region } from "../desktop.ts";
import type { Size } from "../image/bitmap.ts";
import type { PictureFile } from "../image/shaped_picture.ts";
import { makePicture } from "../image/picture_maker.ts";
import type { Operator } from "../operator.ts";
import type { Waiter } from "../../core/mutex.ts";

/** The bytes that a picture may have. */
export interface PictureLimit {
  bytes: number;
  /** Tells whether a larger picture is an error; otherwise the picture is shrunk, and the text beside it says so. */
  isExact: boolean;
}

/** Pictures of MCP: clients take 1 MB a result, of which base64 takes a quarter. */
export const MCP_PICTURES: PictureLimit = { bytes: 700_000, isExact: false };

/**
 * Pictures of `/api/act`: the services of the models take 5 MB in base64. Programs hand on the picture without words, and
 * the model's coordinates are of the picture that it sees, so that a shrunk one would lead to other places.
 */
export const ACT_PICTURES: PictureLimit = { bytes: 3_700_000, isExact: true };

/**
 * Captures a region as a PNG file within a limit.
 * @param cursor Draws the pointer in if true.
 * @param size Size of the picture, not larger than the region. A file above the limit is shrunk to the half until it
 * fits.
 * @param waiter Leaves the queue when its signal is aborted.
 * @throws StateError if the file is above the limit and must not be shrunk.
 */
export async function boundedPicture(
  operator: Operator,
  region: Region,
  cursor: boolean,
  size: Size,
  { bytes, isExact }: PictureLimit,
  waiter: Waiter,
): Promise<PictureFile> {
  const picture = await makePicture(
    (memory) => operator.share(region, cursor, memory),
    () => ({ size, budget: bytes }),
    waiter,
  );
  if (!isExact || picture.width === size.width) return picture;
  throw new StateError(
    `the picture has more than ${
      bytes / 1e6
    } MB at ${size.width}x${size.height}: take a smaller view or a region`,
  );
}
