/** Screens that the system captures as whole pictures, each in its own memory. */

import type { Frame, Picture, Region, Screen, ScreenLayout } from "../../../control/desktop/desktop.ts";

/** A screen whose captures share no memory: another one may be made before the caller has read the last. */
export abstract class WholeScreen implements Screen {
  abstract layout(): ScreenLayout;

  /**
   * Captures a region into its own memory.
   * @param cursor Whether to draw the pointer.
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
