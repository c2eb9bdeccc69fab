/** The Worker that captures the screen of a Wayland desktop: on a connection of its own. */

import { answerCaptures } from "../capture/worker.ts";
import { compositorGone } from "./wire/connection.ts";
import { loadWay, type WaySource } from "./ways.ts";

answerCaptures<WaySource>(async ({ session, way: name }) => {
  const way = await loadWay(name);
  return await way.openCaptures!(session) ?? compositorGone(session.socket);
});
