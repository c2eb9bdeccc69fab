/** Pictures of backends that cannot keep any cheaply: copies of their frames. */

import type { Frame, Picture } from "../control/desktop/desktop.ts";

/** Buffers that are kept for the next pictures; others are left to the garbage collector. */
const FREE_LIMIT = 4;

/** Buffers of released pictures, all of one size: allocating a screen's size takes ten times as long as filling it. */
const free: Uint8Array<ArrayBuffer>[] = [];

/** Copies a frame into memory that the next picture of its size uses again when this one is released. */
export function copiedPicture({ width, height, stride, pixels }: Frame): Picture {
  if (free.at(-1)?.length !== pixels.length) free.length = 0;
  const copy = free.pop() ?? new Uint8Array(pixels.length);
  copy.set(pixels);
  return {
    width,
    height,
    parts: [{ width, height, stride, pixels: copy }],
    release() {
      if (free.length < FREE_LIMIT && (free[0]?.length ?? copy.length) === copy.length) free.push(copy);
    },
  };
}

/** Copies a frame into memory, in rows without gaps. */
export function copyFrame({ width, height, stride, pixels }: Frame, memory: ArrayBufferLike): void {
  const to = new Uint8Array(memory), rowBytes = width * 4;
  if (stride === rowBytes) return to.set(pixels.subarray(0, rowBytes * height));
  for (let row = 0; row < height; row++) {
    to.set(pixels.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
  }
}
