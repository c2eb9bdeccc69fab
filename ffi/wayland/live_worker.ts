/** The Worker of the live picture on a Wayland desktop: on a connection of its own. */

import { openJpegEncoder } from "../jpeg.ts";
import { serveLive } from "../live/worker.ts";
import { compositorGone } from "./wire/connection.ts";
import { loadWay, type WaySource } from "./ways.ts";

serveLive<WaySource>(async ({ source: { session, way: name }, alarm }) => {
  const way = await loadWay(name);
  return await way.openScreen!(session, alarm!, openJpegEncoder()) ?? compositorGone(session.socket);
});
