/** A screen whose pictures are counted, for metrics. */

import { Histogram } from "../core/histogram.ts";
import type { Frame, Picture, Region, Screen } from "./desktop.ts";
import type { FrameMemory, SharedFrame } from "./image/shared_frame.ts";

/** Takes pictures of a screen, and keeps how long the desktop took for each. */
export class TimedScreen implements Pick<Screen, "capture" | "picture"> {
  /** Of pictures that were taken. */
  readonly duration = new Histogram();

  constructor(readonly screen: Screen) {}

  capture(region: Region, cursor: boolean): Frame | Promise<Frame> {
    return this.#timed(() => this.screen.capture(region, cursor));
  }

  picture(region: Region, cursor: boolean): Picture | Promise<Picture> {
    return this.#timed(() => this.screen.picture(region, cursor));
  }

  /** Captures into memory that threads share: without this thread where the desktop can. */
  share(region: Region, cursor: boolean, memory: FrameMemory): SharedFrame | Promise<SharedFrame> {
    const { screen } = this;
    return this.#timed(() => {
      if (screen.captureInto) {
        const frame = memory.frame(region);
        return screen.captureInto(region, cursor, frame.memory).then(() => frame);
      }
      const frame = screen.capture(region, cursor);
      return frame instanceof Promise ? frame.then((frame) => memory.share(frame)) : memory.share(frame);
    });
  }

  /** A picture that is there at once stays so: an await would let the next one overwrite it. */
  #timed<T>(take: () => T | Promise<T>): T | Promise<T> {
    const start = performance.now();
    const done = (picture: T) => {
      this.duration.add(performance.now() - start);
      return picture;
    };
    const picture = take();
    return picture instanceof Promise ? picture.then(done) : done(picture);
  }
}
