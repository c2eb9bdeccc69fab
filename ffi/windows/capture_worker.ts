/** The Worker that captures the screen of Windows. */

import { answerCaptures } from "../capture/worker.ts";
import { openWindows } from "./mod.ts";

answerCaptures<undefined>(() => {
  const desktop = openWindows();
  return {
    capture: (region, cursor) => desktop.screen.capture(region, cursor),
    close: () => desktop.close(),
  };
});
