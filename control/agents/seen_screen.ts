/** The screen as an agent saw it in its last picture, of which parts can be looked for later. */

import { InputError } from "../../core/errors.ts";
import { intersection, type Region } from "../desktop/desktop.ts";
import { encodePng } from "../image/png.ts";
import type { Operator } from "../operator/operator.ts";

/** The most pixels of a region to find: the thread that serves packs them, in at most 4 ms. */
const MOST_PIXELS = 512 * 512;

/** Keeps the pixels of one capture, in memory that the next one uses again. */
export class SeenScreen {
  #area: Region | undefined;
  #pixels = new Uint32Array();

  /**
   * Captures an area without the pointer, which is elsewhere during a later search for the area.
   * @param area In pixels of the desktop.
   */
  async keep(operator: Operator, area: Region): Promise<void> {
    await operator.capture(area, false, ({ pixels, width, height, stride }) => {
      if (this.#pixels.length !== width * height) this.#pixels = new Uint32Array(width * height);
      const words = new Uint32Array(pixels.buffer, pixels.byteOffset, pixels.byteLength >> 2);
      for (let y = 0; y < height; y++) {
        const start = y * stride >> 2;
        this.#pixels.set(words.subarray(start, start + width), y * width);
      }
      this.#area = area;
    });
  }

  /**
   * A part of the last picture as a PNG file.
   * @param region In pixels of the desktop.
   * @throws InputError if no picture was taken yet, or it did not show the region.
   */
  cut(region: Region): Uint8Array<ArrayBuffer> {
    const area = this.#area;
    if (!area) throw new InputError("there is no picture yet: take a screenshot first");
    const { width, height } = region, shown = intersection(area, region), stride = area.width * 4;
    if (shown?.width !== width || shown.height !== height) {
      throw new InputError("the last picture does not show the whole region");
    }
    if (width * height > MOST_PIXELS) {
      throw new InputError(`a region that is looked for has at most ${MOST_PIXELS} pixels of the screen`);
    }
    const start = (region.y - area.y) * area.width + region.x - area.x;
    const words = this.#pixels.subarray(start, start + (height - 1) * area.width + width);
    const pixels = new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
    return encodePng({ width, height, stride, pixels });
  }
}
