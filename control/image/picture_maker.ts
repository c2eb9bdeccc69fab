/**
 * Makes picture files of the screen on a separate thread: shrinking or compressing one takes 30 ms or more.
 */

import { CallWorker, Pool } from "../../core/worker.ts";
import { Mutex, type Waiter } from "../../core/mutex.ts";
import { FrameMemory, type SharedFrame, type Size } from "./bitmap.ts";
import type { PictureFile, PictureShape } from "./shrink.ts";

/** Messages to the Worker. */
export interface PictureCall {
  frame: SharedFrame;
  shape: PictureShape;
}

/** How long the Worker stays without a picture, in milliseconds: an agent looks again within that time. */
const IDLE_MS = 30_000;

/** Memory for two frames: the next frame is captured while the last one is encoded. */
const memories = [new FrameMemory(), new FrameMemory()];
const free = new Pool(memories);
const worker = new CallWorker<PictureCall, PictureFile>({
  url: { url: new URL("./workers.ts", import.meta.url), role: "picture" },
  idleMs: IDLE_MS,
  onIdle: () => memories.forEach((memory) => memory.free()),
});
/**
 * Frames are captured one at a time, and files are made one at a time, since each takes a core; limits the
 * queue.
 */
const turns = new Mutex(32, "too many pictures are being made; try again later");

/**
 * Makes a picture file when earlier requests are done.
 * @param share Copies a frame into the memory when the request has its turn.
 * @param shape Size and format of the file.
 * @param waiter Leaves the queue when its signal is aborted.
 * @throws BusyError if the queue is full; the errors of `share`.
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
