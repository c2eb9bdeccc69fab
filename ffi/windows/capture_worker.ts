/** The Worker that captures the screen of Windows. */

import { answerCaptures } from "../capture/worker.ts";
import { openWindows } from "./mod.ts";

answerCaptures<undefined>(() => {
  const desktop = openWindows();
  return {
    capture: desktop.screen.capture.bind(desktop.screen),
    close: () => desktop.close(),
  };
});
