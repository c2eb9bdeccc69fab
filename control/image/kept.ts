/** Frames that outlive the next picture. */

import type { Frame } from "../desktop.ts";
import { BufferPool } from "./pool.ts";

/** Memory of copies. */
const buffers = new BufferPool();

/** A frame that stays as it is until it is released. */
export interface KeptFrame {
  frame: Frame;
  /** To be called when nobody reads the frame any more. */
  release(): void;
}

/** Keeps a frame: where its desktop cannot do that, a copy of it. */
export function keptFrame(frame: Frame): KeptFrame {
  const release = frame.keep?.();
  if (release) return { frame, release };
  const { width, height, stride, pixels: { length } } = frame;
  const pixels = buffers.take(length, () => new Uint8Array(length));
  pixels.set(frame.pixels);
  return { frame: { width, height, stride, pixels }, release: () => buffers.give(pixels) };
}
