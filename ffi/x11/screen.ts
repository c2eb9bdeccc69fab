/** The screen of one connection: its layout and its pictures. */

import type { Frame, Picture, Region, Screen, ScreenLayout } from "../../control/desktop.ts";
import { copiedPicture } from "../copied_picture.ts";
import { ScreenCapture } from "./capture.ts";
import { CONFIGURE_NOTIFY, type Connection } from "./connection.ts";
import { drawCursor, readCursor } from "./cursor.ts";
import { queryLayout } from "./displays.ts";
import { openXcbShm } from "./libraries.ts";
import { isNative } from "./pixels.ts";
import { rootLayout } from "./segment.ts";
import { XcbPictures } from "./xcb_pictures.ts";

/** Asks for the layout again when the server has reported a change; captures pictures on a connection of their own. */
export class X11Screen implements Screen {
  readonly #capture: ScreenCapture;
  /** Pictures by XCB; null where XCB is missing, or its pictures would have to be converted. */
  #pictures: XcbPictures | null | undefined;
  #layout: ScreenLayout | undefined;
  /** The number of reported changes of size, when the layout was asked for. */
  #resizes = 0;
  /** The capture by a Worker, which frees this thread; left out without a Worker. */
  captureInto?: Screen["captureInto"];

  constructor(readonly connection: Connection) {
    this.#capture = new ScreenCapture(connection);
  }

  layout(): ScreenLayout {
    this.connection.drainEvents();
    const resizes = this.connection.eventCount(CONFIGURE_NOTIFY);
    if (resizes !== this.#resizes) this.#layout = undefined;
    this.#resizes = resizes;
    return this.#layout ??= queryLayout(this.connection);
  }

  capture<T>(region: Region, cursor: boolean, read: (frame: Frame) => T): Promise<T> {
    return Promise.try(() => read(this.take(region, cursor)));
  }

  picture(region: Region, cursor: boolean): Promise<Picture> {
    return Promise.try(() => this.#picture(region, cursor));
  }

  /** Captures a region; the next capture overwrites the frame. */
  take(region: Region, cursor: boolean): Frame {
    const frame = this.#capture.take(region);
    if (cursor) drawCursor(readCursor(this.connection), frame, region);
    return frame;
  }

  #picture(region: Region, cursor: boolean): Picture {
    if (this.#pictures?.isBroken) {
      this.#pictures.close();
      this.#pictures = undefined;
    }
    if (this.#pictures === undefined) this.#pictures = this.#openPictures() ?? null;
    const picture = this.#pictures?.take(region, cursor ? readCursor(this.connection) : undefined);
    return picture ?? copiedPicture(this.take(region, cursor));
  }

  #openPictures(): XcbPictures | undefined {
    const layout = rootLayout(this.connection), xcb = openXcbShm();
    if (!xcb || !layout || !isNative(layout)) return undefined;
    const { name, libraries: { c }, root } = this.connection;
    return XcbPictures.open(xcb, c, name, root);
  }

  /** Frees shared memory and the pictures' connection. */
  close(): void {
    this.#capture.close();
    this.#pictures?.close();
  }
}
