/** The Worker of the live picture on a Wayland desktop: on a connection of its own. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { openJpegEncoder } from "../jpeg.ts";
import { serveLive } from "../live/worker.ts";
import { loadWay, type WaySource } from "./ways.ts";

serveLive<WaySource>(async ({ source: { session, way: name }, memory }) => {
  const way = await loadWay(name), screen = await way.openScreen!(session, memory, openJpegEncoder());
  if (!screen) throw new DesktopUnavailableError(`the Wayland compositor at ${session.socket} is gone`);
  return screen;
});
