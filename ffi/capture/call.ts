/** What a Worker that captures the screen is asked. */

import type { Region } from "../../control/desktop.ts";

/** A capture. */
export interface CaptureCall<Source> {
  /** What the Worker needs to open the same desktop: plain data. */
  source: Source;
  region: Region;
  cursor: boolean;
  /** Gets the pixels, in rows without gaps. */
  memory: SharedArrayBuffer;
}
