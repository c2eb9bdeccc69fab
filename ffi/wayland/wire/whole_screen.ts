/** Screens that the system gives as whole pictures, each in memory of its own. */

import type { Frame, Picture, Region, Screen, ScreenLayout } from "../../../control/desktop/desktop.ts";

/** A screen whose captures share no memory: another one may be made before the caller has read the last. */
export abstract class WholeScreen implements Screen {
  abstract layout(): ScreenLayout;

  /**
   * Captures a region into memory of its own.
   * @param cursor Whether the pointer is in the picture.
   */
  protected abstract take(region: Region, cursor: boolean): Promise<Frame>;

  async capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return read(await this.take(region, cursor));
  }

  async picture(region: Region, cursor: boolean): Promise<Picture> {
    const frame = await this.take(region, cursor);
    return { width: frame.width, height: frame.height, parts: [frame], release() {} };
  }
}
