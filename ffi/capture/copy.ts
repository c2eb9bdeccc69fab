/** Frames copied into other memory. */

import type { Frame } from "../../control/desktop.ts";

/** Copies a frame into memory, in rows without gaps. */
export function copyFrame({ width, height, stride, pixels }: Frame, memory: ArrayBufferLike): void {
  const to = new Uint8Array(memory), rowBytes = width * 4;
  if (stride === rowBytes) return to.set(pixels.subarray(0, rowBytes * height));
  for (let row = 0; row < height; row++) {
    to.set(pixels.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
  }
}
