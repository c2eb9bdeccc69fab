/** The Worker that captures the screen of a Wayland desktop: on a connection of its own. */

import { DesktopUnavailableError } from "../../core/errors.ts";
import { answerCaptures } from "../capture/worker.ts";
import { loadWay, type WaySource } from "./ways.ts";

answerCaptures<WaySource>(async ({ session, way: name }) => {
  const way = await loadWay(name), screen = await way.openCaptures!(session);
  if (!screen) throw new DesktopUnavailableError(`the Wayland compositor at ${session.socket} is gone`);
  return screen;
});
