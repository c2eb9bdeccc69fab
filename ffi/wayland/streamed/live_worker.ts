/** The Worker of the live picture of streams: it reads the streams' shared memory, and has no connection of its own. */

import { openJpegEncoder } from "../../jpeg.ts";
import { serveLive } from "../../live/worker.ts";
import { FrameReader } from "../../linux/pipewire/frame_memory.ts";
import type { StreamsSource } from "./streamed_parts.ts";
import { StreamLiveScreen } from "./stream_live_screen.ts";

serveLive<StreamsSource>(({ source: { place, outputs } }) => {
  const readers = outputs.map(({ output, memory }) => ({ output, reader: new FrameReader(memory) }));
  return new StreamLiveScreen(place, readers, openJpegEncoder());
});
