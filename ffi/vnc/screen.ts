/** The screen of a VNC desktop. */

import type { Display, Frame, Picture, Region, Screen, ScreenLayout } from "../../control/desktop/desktop.ts";
import { drawPointer } from "../../control/desktop/screen.ts";
import { copiedPicture } from "../copied_picture.ts";
import type { Link } from "./link.ts";

/** Copies what the receiver has published. */
export class VncScreen implements Screen {
  /** The memory of the last capture: to allocate a screen takes longer than to copy it. */
  #kept = new Int32Array();

  constructor(readonly link: Link) {}

  layout(): ScreenLayout {
    const { picture: { region }, facts: { displays } } = this.link, isOne = displays.length < 2;
    const parts: Display[] = (isOne ? [region] : displays).map((part, i) => ({
      ...part,
      name: isOne ? "vnc" : `vnc-${i + 1}`,
      primary: i === 0,
    }));
    return { ...region, displays: parts };
  }

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return Promise.try(() => read(this.#take(region, cursor)));
  }

  picture(region: Region, cursor: boolean): Promise<Picture> {
    return Promise.try(() => copiedPicture(this.#take(region, cursor)));
  }

  #take(region: Region, cursor: boolean): Frame {
    const { picture } = this.link, { width, height } = region, count = width * height;
    if (this.#kept.length !== count) this.#kept = new Int32Array(count);
    const words = this.#kept, { image, place } = picture;
    picture.copy(region, words);
    if (cursor && image && place) drawPointer(words, region, { image, at: place });
    return { width, height, stride: width * 4, pixels: new Uint8Array(words.buffer) };
  }
}
