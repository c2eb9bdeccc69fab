/** Replays and live pictures of a desktop that is only reachable from the calling thread. */

import {
  isSameRegion,
  type LivePicture,
  type Player,
  type Region,
  type Screen,
} from "../control/desktop/desktop.ts";
import { type PlaybackTarget, playHere, type StoppableClock } from "../control/recording/playback.ts";
import { Viewers } from "../control/desktop/viewers.ts";
import { runWorker } from "../core/worker.ts";
import { copyFrame } from "./copied_picture.ts";
import type { LiveStart, WorkerReport } from "./in_worker.ts";

/**
 * How often a late replay yields to the event loop, in milliseconds. A request needs some ten turns of the
 * loop to be answered.
 */
const YIELD_MS = 2;

/** Makes the player of a desktop whose replays run on its own thread. */
export function playOnThread(target: PlaybackTarget): Player {
  return playHere(target, () => new TimerClock());
}

/** Waits with timers; `stop` ends a wait immediately. */
class TimerClock implements StoppableClock {
  isStopped = false;
  #wake = () => {};
  #yieldedAt = performance.now();

  now(): number {
    return performance.now();
  }

  async sleepUntil(time: number): Promise<boolean> {
    const wait = time - this.now();
    if ((wait > 0 || this.now() - this.#yieldedAt > YIELD_MS) && !this.isStopped) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, wait)); // Deno prints a warning for a negative delay
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#yieldedAt = this.now();
    }
    return !this.isStopped;
  }

  stop(): void {
    this.isStopped = true;
    this.#wake();
  }
}

// The live picture of a desktop whose screen only this thread can capture: this thread captures into shared
// memory, and a Worker does the rest.

/** A screen's region, and the memory for its pictures: rows without gaps. */
export interface FrameSource extends Region {
  frames: SharedArrayBuffer;
}

/**
 * Makes the live picture from frames that this thread captures.
 * @param screen The desktop's screen; captured whenever the Worker needs a frame.
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
          } else viewers.stop(); // the maker is then restarted
        };
        const start: LiveStart<FrameSource> = { source, memory };
        const url = new URL("./live/frames_worker.ts", import.meta.url);
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
