/**
 * The Worker of replays on a Wayland desktop: on a connection of its own. It reports its actions itself, since no
 * protocol does.
 */

import { servePlayback } from "../playback/worker.ts";
import { openAgain } from "./mod.ts";
import type { WaySource } from "./ways.ts";

servePlayback(async (source: WaySource, done) => {
  const desktop = await openAgain(source);
  desktop.own.add({ actions: done, problem() {} });
  return desktop;
});
