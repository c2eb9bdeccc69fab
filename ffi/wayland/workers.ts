/** A Wayland desktop's Workers, each with its own connection. */

import { serveRoles } from "../../core/worker_entry.ts";
import type { WaySource } from "./ways.ts";

serveRoles({
  async capture() {
    const { answerCaptures } = await import("../capture/worker.ts");
    const { compositorGone } = await import("./wire/connection.ts");
    const { loadWay } = await import("./ways.ts");
    answerCaptures<WaySource>(async ({ session, way: name }) => {
      const way = await loadWay(name);
      return await way.openCaptures!(session) ?? compositorGone(session.socket);
    });
  },
  async live() {
    const { serveLive } = await import("../live/worker.ts");
    const { openJpegEncoder } = await import("../jpeg.ts");
    const { compositorGone } = await import("./wire/connection.ts");
    const { loadWay } = await import("./ways.ts");
    serveLive<WaySource>(async ({ source: { session, way: name }, alarm }) => {
      const way = await loadWay(name);
      return await way.openScreen!(session, alarm!, openJpegEncoder()) ?? compositorGone(session.socket);
    });
  },
  /** Reports its actions itself, since no protocol does. */
  async playback() {
    const { servePlayback } = await import("../playback/worker.ts");
    const { openAgain } = await import("./mod.ts");
    servePlayback(async (source: WaySource, done) => {
      const desktop = await openAgain(source);
      desktop.own.add({ actions: done, problem() {} });
      return desktop;
    });
  },
});
