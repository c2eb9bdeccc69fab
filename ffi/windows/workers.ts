/** A Windows desktop's Workers. */

import { serveRoles } from "../../core/worker_entry.ts";
import { openWindows } from "./mod.ts";

serveRoles({
  async capture() {
    const { answerCaptures } = await import("../capture/worker.ts");
    answerCaptures<undefined>(() => {
      const desktop = openWindows();
      return {
        capture: desktop.screen.capture.bind(desktop.screen),
        close: () => desktop.close(),
      };
    });
  },
  async live() {
    const { serveLive } = await import("../live/worker.ts");
    const { openJpegEncoder } = await import("../jpeg.ts");
    const { PolledScreen } = await import("../live/polled.ts");
    serveLive<undefined>(({ memory }) => {
      const desktop = openWindows();
      return new PolledScreen(desktop.screen, memory, () => desktop.close(), openJpegEncoder());
    });
  },
  async playback() {
    const { servePlayback } = await import("../playback/worker.ts");
    servePlayback(() => openWindows());
  },
});
