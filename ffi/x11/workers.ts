/** An X11 desktop's Workers, each with its own connections. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { serveRoles, serveWorker } from "../../core/worker_entry.ts";

const gone = (display: string) =>
  new DesktopUnavailableError(`the X server of display ${display} is gone; waiting for it to return`);

serveRoles({
  async capture() {
    const { answerCaptures } = await import("../capture/worker.ts");
    const { Connection } = await import("./connection.ts");
    const { X11Screen } = await import("./screen.ts");
    answerCaptures<string>((display) => {
      const connection = Connection.open(display);
      if (!connection) throw gone(display);
      const screen = new X11Screen(connection);
      return {
        capture: screen.capture.bind(screen),
        close() {
          screen.close();
          connection.close();
        },
      };
    });
  },
  async live() {
    const { serveLive } = await import("../live/worker.ts");
    const { openJpegEncoder } = await import("../jpeg.ts");
    const { PolledScreen } = await import("../live/polled.ts");
    const { DamagedScreen } = await import("./damaged_screen.ts");
    const { ConnectedDesktop } = await import("./desktop.ts");
    serveLive<string>(({ source: display, memory, alarm }) => {
      const jpeg = openJpegEncoder(), screen = DamagedScreen.open(display, jpeg, alarm);
      if (screen) return screen;
      const desktop = ConnectedDesktop.open(display);
      if (!desktop) throw gone(display);
      return new PolledScreen(desktop.screen, memory, () => desktop.close(), jpeg);
    });
  },
  async playback() {
    const { servePlayback } = await import("../playback/worker.ts");
    const { openX11 } = await import("./desktop.ts");
    servePlayback((display: string) => openX11(display));
  },
  async watchdog() {
    const { freeThread } = await import("../linux/threads.ts"),
      { openLibc } = await import("../linux/libc.ts");
    serveWorker<number, void, void>((thread, { report, stopped }) => {
      const ended = freeThread(openLibc(), thread, stopped);
      report();
      return ended;
    });
  },
});
