/** The Workers of a VNC desktop: the one that has the connection, and the one that makes the live picture. */

/// <reference lib="deno.worker" />

import { serveRoles } from "../../core/worker_entry.ts";
import type { ToReceiver } from "./receiver.ts";
import type { PictureMemory } from "./picture.ts";

serveRoles({
  async receiver() {
    const { Receiver } = await import("./receiver.ts");
    const receiver = new Receiver((report) => self.postMessage(report));
    globalThis.onmessage = ({ data }: MessageEvent<ToReceiver>) => receiver.handle(data);
  },
  async live() {
    const { serveLive } = await import("../live/worker.ts");
    const { openJpegEncoder } = await import("../jpeg.ts");
    const { VncLiveScreen } = await import("./live_screen.ts");
    serveLive<PictureMemory>(({ source }) => new VncLiveScreen(source, openJpegEncoder()));
  },
});
