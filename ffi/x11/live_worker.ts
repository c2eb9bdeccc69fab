/** The Worker of the live picture on an X11 desktop: on connections of its own. */

import { openJpegEncoder } from "../jpeg.ts";
import { PolledScreen } from "../live/polled.ts";
import { serveLive } from "../live/worker.ts";
import { ConnectedDesktop } from "./desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { DamagedScreen } from "./damaged_screen.ts";

serveLive<string>(({ source: display, memory, alarm }) => {
  const jpeg = openJpegEncoder();
  const screen = DamagedScreen.open(display, jpeg, alarm);
  if (screen) return screen;
  const desktop = ConnectedDesktop.open(display);
  if (!desktop) throw new DesktopUnavailableError(`the X server of display ${display} is gone`);
  return new PolledScreen(desktop.screen, memory, () => desktop.close(), jpeg);
});
