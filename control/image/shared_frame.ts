/** Pictures of the screen in memory that several threads see, so that a Worker need not be sent a copy. */

import type { Frame } from "../desktop/desktop.ts";
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

  /** Copies a frame into the memory, over the previous frame. */
  share({ width, height, stride, pixels }: Frame): SharedFrame {
    const memory = this.#sized(pixels.length);
    new Uint8Array(memory).set(pixels);
    return { width, height, stride, memory };
  }

  /** Makes room for a frame without gaps between rows; overwrites the previous frame. */
  frame({ width, height }: Size): SharedFrame {
    return { width, height, stride: width * 4, memory: this.#sized(width * height * 4) };
  }

  #sized(bytes: number): SharedArrayBuffer {
    if (!this.#memory || this.#memory.byteLength < bytes) this.#memory = new SharedArrayBuffer(bytes);
    return this.#memory;
  }

  /** Gives the memory back. */
  free(): void {
    this.#memory = undefined;
  }
}
