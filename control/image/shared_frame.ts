/** Pictures of the screen in memory that several threads see, so that a Worker need not be sent a copy. */

import type { Frame } from "../desktop.ts";
import type { Size } from "./bitmap.ts";

/** A frame in shared memory. */
export interface SharedFrame extends Size {
  /** Bytes from one row to the next. */
  stride: number;
  memory: SharedArrayBuffer;
}

/** Shared memory for one frame at a time, used again: new memory of a screen's size takes ten times as long to fill. */
export class FrameMemory {
  #memory: SharedArrayBuffer | undefined;

  /** Copies a frame into the memory, over the one before. */
  share({ width, height, stride, pixels }: Frame): SharedFrame {
    if (!this.#memory || this.#memory.byteLength < pixels.length) {
      this.#memory = new SharedArrayBuffer(pixels.length);
    }
    new Uint8Array(this.#memory).set(pixels);
    return { width, height, stride, memory: this.#memory };
  }

  /** Gives the memory back. */
  free(): void {
    this.#memory = undefined;
  }
}
