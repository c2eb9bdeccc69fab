/** Pictures of backends that cannot keep any cheaply: copies of their frames. */

import type { Frame, Picture } from "../control/desktop.ts";
import { BufferPool } from "./buffer_pool.ts";

const buffers = new BufferPool();

/** Copies a frame into memory that is used again when the picture is released. */
export function copiedPicture({ width, height, stride, pixels }: Frame): Picture {
  const copy = buffers.take(pixels.length, () => new Uint8Array(pixels.length));
  copy.set(pixels);
  return {
    width,
    height,
    parts: [{ width, height, stride, pixels: copy }],
    release: () => buffers.give(copy),
  };
}
