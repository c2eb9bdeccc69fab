/** Files of the screen, made on a thread of their own: shrinking or compressing one takes 30 ms and more. */

import { CallWorker, Pool } from "../../core/worker.ts";
import { Mutex, type Waiter } from "../../core/mutex.ts";
import { FrameMemory, type SharedFrame, type Size } from "./bitmap.ts";
import type { PictureFile, PictureShape } from "./shrink.ts";

/** Messages to the Worker. */
export interface PictureCall {
  frame: SharedFrame;
  shape: PictureShape;
}

/** The time that the Worker stays without a picture, in milliseconds: an agent looks again within that time. */
const IDLE_MS = 30_000;

/** Memory of two frames: the next frame is captured while a file is made of the last frame. */
const memories = [new FrameMemory(), new FrameMemory()];
const free = new Pool(memories);
const worker = new CallWorker<PictureCall, PictureFile>({
  url: { url: new URL("./workers.ts", import.meta.url), role: "picture" },
  idleMs: IDLE_MS,
  onIdle: () => memories.forEach((memory) => memory.free()),
});
/** Frames are captured one at a time, and so are files made of them, since each takes a core; this many may wait. */
const turns = new Mutex(32, "too many pictures are being made; try again later");

/**
 * Makes a picture file when earlier requests are done.
 * @param share Copies a frame into the memory when the request's turn comes.
 * @param shape The size and format of the file.
 * @param waiter Leaves the queue when its signal is aborted.
 * @throws BusyError if too many wait; the errors of `share`.
 * @example
 * const { file } = await makePicture((memory) => operator.share({}, true, memory), () => ({ budget: 700_000 }));
 */
export async function makePicture(
  share: (memory: FrameMemory) => Promise<SharedFrame>,
  shape: (frame: Size) => PictureShape = () => ({}),
  waiter?: Waiter,
): Promise<PictureFile> {
  const { file } = await turns.run(async () => {
    const memory = await free.take();
    try {
      const frame = await share(memory);
      return { file: worker.call({ frame, shape: shape(frame) }).finally(() => free.give(memory)) };
    } catch (error) {
      free.give(memory);
      throw error;
    }
  }, { waiter });
  return await file;
}
