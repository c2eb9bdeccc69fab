/** The Worker of the live picture on Windows. */

import { openJpegEncoder } from "../jpeg.ts";
import { PolledScreen } from "../live/polled.ts";
import { serveLive } from "../live/worker.ts";
import { openWindows } from "./mod.ts";

serveLive<undefined>(({ memory }) => {
  const desktop = openWindows();
  return new PolledScreen(desktop.screen, memory, () => desktop.close(), openJpegEncoder());
});
