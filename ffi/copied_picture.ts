/** Pictures for backends that can only keep one by copying its frame. */

import type { Frame, Picture } from "../control/desktop/desktop.ts";

/** Maximum number of buffers kept for later pictures; the garbage collector frees the rest. */
const FREE_LIMIT = 4;

/**
 * Buffers of released pictures, all of one size: allocating a screen takes ten times as long as filling it.
 */
const free: Uint8Array<ArrayBuffer>[] = [];

/** Copies a frame into memory that, once this picture is released, the next picture of its size reuses. */
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
