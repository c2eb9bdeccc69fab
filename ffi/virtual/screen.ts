/** The screen of a virtual desktop: a picture of the desk, which is drawn when someone asks for it. */

import type { Frame, Picture, Region, Screen, ScreenLayout } from "../../control/desktop/desktop.ts";
import { copiedPicture } from "../copied_picture.ts";
import { Canvas } from "./canvas.ts";
import type { Desk } from "./desk.ts";
import { paintDesk } from "./paint.ts";

/** The size of the screen if none is given. */
export const DEFAULT_SIZE = { width: 1280, height: 720 };

/** A picture that was drawn, and what it shows. */
interface Drawing {
  canvas: Canvas;
  revision: number;
  minute: string;
}

/** The picture of a desk. */
export class VirtualScreen implements Screen {
  /** The picture as it was drawn last, and what it shows. */
  #drawn: Drawing | undefined;
  /** The memory of the last capture: to allocate a screen takes longer than to copy it. */
  #frame: Canvas | undefined;

  constructor(readonly desk: Desk) {}

  layout(): ScreenLayout {
    const { screen } = this.desk;
    return { ...screen, displays: [{ name: "virtual", primary: true, ...screen }] };
  }

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return Promise.try(() => read(this.take(region, cursor)));
  }

  picture(region: Region, cursor: boolean): Promise<Picture> {
    return Promise.try(() => copiedPicture(this.take(region, cursor)));
  }

  /** Captures a region, in memory that the next capture of its size takes. */
  take({ x, y, width, height }: Region, cursor: boolean): Frame {
    const { canvas } = this.#draw(), { pointer } = this.desk, kept = this.#frame;
    const frame = kept?.width === width && kept.height === height ? kept : new Canvas(width, height);
    this.#frame = frame;
    for (let row = 0; row < height; row++) {
      const start = (y + row) * canvas.width + x;
      frame.pixels.set(canvas.pixels.subarray(start, start + width), row * width);
    }
    if (cursor) frame.pointer(pointer.x - x, pointer.y - y);
    return { width, height, stride: width * 4, pixels: new Uint8Array(frame.pixels.buffer) };
  }

  #draw(): Drawing {
    const { desk } = this, { revision, screen } = desk, minute = desk.now().toISOString().slice(0, 16);
    if (this.#drawn?.revision === revision && this.#drawn.minute === minute) return this.#drawn;
    const canvas = this.#drawn?.canvas ?? new Canvas(screen.width, screen.height);
    paintDesk(canvas, desk);
    return this.#drawn = { canvas, revision, minute };
  }
}
