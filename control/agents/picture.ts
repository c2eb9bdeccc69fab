/** Pictures for agents: of the size of their view, within a budget of bytes. */

import type { Region } from "../desktop.ts";
import type { Size } from "../image/bitmap.ts";
import type { PictureFile } from "../image/shaped_picture.ts";
import { makePicture } from "../image/picture_maker.ts";
import type { Operator } from "../operator.ts";
import type { Waiter } from "../../core/mutex.ts";

/** Bytes of a picture: clients take 1 MB a result, of which base64 takes a quarter. */
const BUDGET = 700_000;

/**
 * Captures a region as a PNG file within the budget: one that is larger is shrunk to the half until it fits.
 * @param cursor Whether the pointer is drawn in.
 * @param size Of the picture; not larger than the region.
 * @param waiter Leaves the queue when its signal is aborted.
 */
export function boundedPicture(
  operator: Operator,
  region: Region,
  cursor: boolean,
  size: Size,
  waiter: Waiter,
): Promise<PictureFile> {
  return makePicture(
    (memory) => operator.share(region, cursor, memory),
    () => ({ size, budget: BUDGET }),
    waiter,
  );
}
