/** Reports of the thread that makes the live picture to the thread with the viewers' sockets. */

import type { Region } from "../input.ts";

/** A report. */
export type LiveReport =
  /** The screen that the pictures which follow are of. */
  | { type: "screen"; place: Region }
  /** A picture for some viewers, by slot and number. */
  | { type: "picture"; to: [slot: number, viewer: number][]; message: Uint8Array<ArrayBuffer> };
