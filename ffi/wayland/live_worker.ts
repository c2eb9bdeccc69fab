/** The Worker of the live picture on a Wayland desktop: on a connection of its own. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { openJpegEncoder } from "../jpeg.ts";
import { PolledScreen } from "../live/polled.ts";
import { serveLive } from "../live/worker.ts";
import { ScreenConnection } from "./screen_connection.ts";

serveLive<string>(({ source: path, memory }) => {
  const connected = ScreenConnection.open(path);
  if (!connected) throw new DesktopUnavailableError(`the Wayland compositor at ${path} is gone`);
  const { screen } = connected;
  const captured = {
    layout: () => screen.layout(),
    capture: screen.captureNow.bind(screen),
  };
  return new PolledScreen(captured, memory, () => connected.close(), openJpegEncoder());
});
