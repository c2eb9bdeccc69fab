/** The screen of Windows: its layout and its pictures. */

import type { Frame, Picture, Region, Screen, ScreenLayout } from "../../control/desktop.ts";
import { copiedPicture } from "../copied_picture.ts";
import { ScreenCapture } from "./capture.ts";
import { Displays } from "./displays.ts";
import type { Libraries } from "./libraries.ts";
import type { InputSender } from "./sender.ts";

/** The virtual screen of all monitors. */
export class WindowsScreen implements Screen, Disposable {
  readonly #displays: Displays;
  readonly #capture: ScreenCapture;

  /** @param sender Explains refusals. */
  constructor(libraries: Libraries, readonly sender: InputSender) {
    this.#displays = new Displays(libraries);
    this.#capture = new ScreenCapture(libraries);
  }

  layout(): ScreenLayout {
    return this.#displays.layout();
  }

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return Promise.try(() => read(this.take(region, cursor)));
  }

  picture(region: Region, cursor: boolean): Promise<Picture> {
    return Promise.try(() => copiedPicture(this.take(region, cursor)));
  }

  /** Captures a region; the next capture overwrites the frame. */
  take(region: Region, cursor: boolean): Frame {
    const frame = this.#capture.take(region, cursor);
    if (!frame) throw this.sender.refused("a picture of the screen");
    return frame;
  }

  [Symbol.dispose](): void {
    this.#capture[Symbol.dispose]();
    this.#displays[Symbol.dispose]();
  }
}
