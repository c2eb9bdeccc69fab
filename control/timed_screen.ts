/** A screen whose pictures are counted, for metrics. */

import { Histogram } from "../core/json.ts";
import type { Desktop, Frame, Picture, Region, Screen } from "./desktop.ts";
import type { FrameMemory, SharedFrame } from "./image/shared_frame.ts";

/** Takes pictures of a screen, and keeps how long the desktop took for each. */
export class TimedScreen implements Pick<Screen, "capture" | "picture"> {
  /** The durations of pictures that were taken. */
  readonly duration = new Histogram();

  constructor(readonly desktop: Pick<Desktop, "screen">) {}

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    const start = performance.now();
    return this.desktop.screen.capture(region, cursor, (frame) => {
      this.#add(start);
      return read(frame);
    });
  }

  async picture(region: Region, cursor: boolean): Promise<Picture> {
    const start = performance.now(), picture = await this.desktop.screen.picture(region, cursor);
    this.#add(start);
    return picture;
  }

  /** Captures into memory that threads share: without this thread where the desktop can. */
  async share(region: Region, cursor: boolean, memory: FrameMemory): Promise<SharedFrame> {
    const { screen } = this.desktop;
    if (!screen.captureInto) return await this.capture(region, cursor, (frame) => memory.share(frame));
    const start = performance.now(), frame = memory.frame(region);
    await screen.captureInto(region, cursor, frame.memory);
    this.#add(start);
    return frame;
  }

  /** @param start When the picture was asked for, on the scale of `performance.now()`. */
  #add(start: number): void {
    this.duration.add(performance.now() - start);
  }
}
