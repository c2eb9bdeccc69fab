/** Frames that tests keep. */

import type { Frame, Region, Screen } from "../../control/desktop/desktop.ts";

/** Captures a region, as {@linkcode Screen.capture} does, and copies the frame. */
export function keptFrame(
  screen: Pick<Screen, "capture">,
  region: Region,
  cursor: boolean,
): Promise<Frame> {
  return screen.capture(region, cursor, (frame) => ({ ...frame, pixels: frame.pixels.slice() }));
}
