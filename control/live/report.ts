/** Reports of the thread that makes the live picture to the thread with the viewers' sockets. */

import type { Region } from "../input.ts";

/** A report. */
export type LiveReport =
  /** The screen that the pictures which follow are of. */
  | { type: "screen"; place: Region }
  /** A picture for some viewers, by slot and number. */
  | { type: "picture"; to: [slot: number, viewer: number][]; message: Uint8Array<ArrayBuffer> }
  /**
   * Changes that a reading of the screen found, if changes are watched: at a time in ms of `performance.timeOrigin +
   * performance.now()`, 4 numbers a region (x, y, width, height, in pixels of the screen), and the number of the look
   * if it was asked for.
   */
  | { type: "changes"; at: number; regions: Int32Array<ArrayBuffer>; look?: number; hasPointer: boolean };
