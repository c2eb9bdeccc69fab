/** The Worker that owns a video stream: it keeps the newest frame in shared memory. */

import { serveWorker } from "../../../core/worker_entry.ts";
import { CURSOR_SIDE_LIMIT, type VideoBuffer } from "./buffers.ts";
import { type FrameMemory, FrameWriter, makeFrameMemory } from "./frame_memory.ts";
import type { StreamStart } from "./stream.ts";
import { VideoInput } from "./video_input.ts";

/** Maximum time until a stream's end is noticed, in milliseconds. */
const STOP_MS = 100;
/** Time without a first frame after which the stream is asked for one again, in milliseconds. */
const FIRST_FRAME_MS = 400;

serveWorker<StreamStart, FrameMemory, void>(({ source, stop }, { report }) => {
  let writer: FrameWriter | undefined, hasFrame = false;
  const input = new VideoInput(source, {
    format({ width, height }) {
      const memory = writer?.memory;
      if (memory?.width === width && memory.height === height) return;
      writer = new FrameWriter(makeFrameMemory(width, height, CURSOR_SIDE_LIMIT));
      report(writer.memory);
    },
    buffer: (buffer) => hasFrame = Boolean(writer && take(buffer, writer)) || hasFrame,
  });
  try {
    for (let askedAt = performance.now(); Atomics.load(stop, 0) === 0; input.iterate(STOP_MS)) {
      if (hasFrame || performance.now() - askedAt < FIRST_FRAME_MS) continue;
      input.beginAgain();
      askedAt = performance.now();
    }
  } finally {
    input.close();
  }
});

/** @returns Whether the buffer had a frame. */
function take(buffer: VideoBuffer, writer: FrameWriter): boolean {
  const { width, height } = writer.memory, rowBytes = 4 * width, pixels = buffer.pixels(height);
  // Stores the pointer first, so that a reader of a new frame finds the pointer's position in that frame.
  const pointer = buffer.pointer();
  if (pointer !== null) writer.writePointer(pointer);
  if (!pixels || pixels.stride < rowBytes) return false;
  const { bytes, stride } = pixels;
  writer.writeFrame((target) => {
    if (stride === rowBytes) return target.set(bytes);
    for (let row = 0; row < height; row++) {
      target.set(bytes.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
    }
  });
  return true;
}
