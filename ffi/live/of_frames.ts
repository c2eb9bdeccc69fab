/**
 * The live picture of a desktop whose screen only this thread can capture: this thread captures into shared memory,
 * and a Worker does the rest.
 */

import { isSameRegion, type LivePicture, type Region, type Screen } from "../../control/desktop/desktop.ts";
import { Viewers } from "../../control/desktop/viewers.ts";
import { runWorker } from "../../core/worker.ts";
import { copyFrame } from "../copied_picture.ts";
import type { LiveStart, WorkerReport } from "./in_worker.ts";

/** A screen's place, and the memory for its pictures: rows without gaps. */
export interface FrameSource extends Region {
  frames: SharedArrayBuffer;
}

/**
 * Makes the live picture of frames that this thread captures.
 * @param screen The screen of the desktop; captured when the Worker wants a frame.
 */
export function liveOfFrames(screen: Screen): LivePicture {
  return {
    start(memory, report) {
      const failed = Promise.withResolvers<never>();
      try {
        const { x, y, width, height } = screen.layout();
        const source: FrameSource = {
          ...{ x, y, width, height },
          frames: new SharedArrayBuffer(width * height * 4),
        };
        const viewers = new Viewers(memory);
        const capture = async () => {
          if (isSameRegion(source, screen.layout())) {
            await screen.capture({ x, y, width, height }, true, (frame) => copyFrame(frame, source.frames));
            viewers.frameTaken();
          } else viewers.stop(); // the maker is then started anew
        };
        const start: LiveStart<FrameSource> = { source, memory };
        const url = new URL("./frames_worker.ts", import.meta.url);
        const { done } = runWorker<LiveStart<FrameSource>, WorkerReport, void>(url, start, (message) => {
          if (message.type !== "wanted") return report(message);
          capture().catch((error) => {
            failed.reject(error);
            viewers.stop();
          });
        });
        return { done: Promise.race([done, failed.promise]) };
      } catch (error) {
        failed.reject(error);
        return { done: failed.promise };
      }
    },
  };
}
