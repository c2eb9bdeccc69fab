/** Pictures as other programs write them. */

import type { Frame } from "../../control/desktop/desktop.ts";

/** Red, green and blue of a frame's pixels, in rows without gaps. */
export function rgbOf({ width, height, stride, pixels }: Frame): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = y * stride + 4 * x;
      rgb[to++] = pixels[at + 2];
      rgb[to++] = pixels[at + 1];
      rgb[to++] = pixels[at];
    }
  }
  return rgb;
}
