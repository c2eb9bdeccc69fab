/** What the Worker that captures the screen is asked. */

import type { Region } from "../../control/desktop.ts";

/** A capture. */
export interface CaptureCall {
  /** The display's name, such as `:0`. */
  display: string;
  region: Region;
  cursor: boolean;
  /** Gets the pixels, in rows without gaps. */
  memory: SharedArrayBuffer;
}
