/** The screen of one connection: its layout and its pictures. */

import { delay } from "@std/async/delay";
import type {
  Display,
  Frame,
  Picture,
  Region,
  Screen,
  ScreenLayout,
  WindowInfo,
  Windows,
} from "../../control/desktop/desktop.ts";
import { isWithin } from "../../control/desktop/geometry.ts";
import { DesktopUnavailableError, StateError, UnsupportedError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { copiedPicture } from "../copied_picture.ts";
import { drawCursor, isNative, readCursor, rootLayout, ScreenCapture } from "./capture.ts";
import type { Connection } from "./connection.ts";
import { openOptional } from "./libraries.ts";
import { WindowPictures, XcbPictures } from "./window_pictures.ts";
import { EVENT } from "./xcb_connection.ts";

// The size of the desktop and its displays (XRandR 1.5, XRRGetMonitors).

/** Offsets in XRRMonitorInfo (X11/extensions/Xrandr.h) with 64-bit pointers. */
export const MONITOR = { size: 56, name: 0, primary: 8, x: 20, y: 24, width: 28, height: 32 } as const;

/**
 * Queries the size of the root window and its monitors.
 * @throws DesktopUnavailableError if the server is gone.
 */
export function queryLayout(connection: Connection): ScreenLayout {
  const { x11 } = connection.libraries;
  const ints = new Int32Array(6), root = new BigUint64Array(1);
  const out = [0, 1, 2, 3, 4, 5].map((i) => ints.subarray(i, i + 1));
  const [x, y, width, height, border, depth] = out;
  if (!x11.XGetGeometry(connection.display, connection.root, root, x, y, width, height, border, depth)) {
    connection.check();
    throw new DesktopUnavailableError("the X server did not report the screen size");
  }
  const region = { x: 0, y: 0, width: ints[2], height: ints[3] };
  const displays = queryDisplays(connection);
  if (!displays.length) displays.push({ name: "screen", primary: true, ...region });
  if (!displays.some(({ primary }) => primary)) displays[0].primary = true;
  return { ...region, displays };
}

function queryDisplays(connection: Connection): Display[] {
  const { libraries: { xrandr }, display, root } = connection;
  const count = new Int32Array(1);
  const monitors = xrandr.XRRGetMonitors(display, root, 1, count);
  if (!monitors) return [];
  const view = new Deno.UnsafePointerView(monitors);
  const displays = Array.from({ length: count[0] }, (_, i): Display => {
    const at = i * MONITOR.size;
    return {
      name: connection.atomName(view.getBigUint64(at + MONITOR.name)) ?? `display ${i + 1}`,
      primary: view.getInt32(at + MONITOR.primary) !== 0,
      x: view.getInt32(at + MONITOR.x),
      y: view.getInt32(at + MONITOR.y),
      width: view.getInt32(at + MONITOR.width),
      height: view.getInt32(at + MONITOR.height),
    };
  });
  xrandr.XRRFreeMonitors(monitors);
  return displays;
}

/**
 * Times for a window to paint what was covered, in milliseconds: for its program's answer, between two
 * checks, how long it must stay unchanged, and the total; the last two on an idle machine, and at most.
 */
const PAINTED_MS = { handled: 1000, look: 20, same: [60, 400], most: [600, 3000] } as const;

/**
 * Queries the layout again when the server has reported a change; captures pictures on its own connection.
 */
export class X11Screen implements Screen {
  readonly #capture: ScreenCapture;
  /** Pictures through XCB; null if XCB is missing, or if its pictures would need conversion. */
  #pictures: XcbPictures | null | undefined;
  #layout: ScreenLayout | undefined;
  /** The number of reported size changes when the layout was last queried. */
  #resizes = 0;
  /** Captures in a Worker, which frees this thread; omitted without a Worker. */
  captureInto?: Screen["captureInto"];
  #windowPictures: WindowPictures | undefined;
  /** Waits until a window's program has handled its events, as `Windows.hasHandled` does. */
  handled?: Windows["hasHandled"];

  constructor(readonly connection: Connection) {
    this.#capture = new ScreenCapture(connection);
  }

  layout(): ScreenLayout {
    this.connection.check(); // a cached layout does not reveal that the server is gone
    this.connection.drainEvents();
    const resizes = this.connection.eventCount(EVENT.configureNotify);
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

  /**
   * Captures a part of a window, as defined by `Screen`, after redirecting it so that it paints covered
   * parts.
   */
  async captureWindow<T>(
    window: WindowInfo,
    region: Region,
    cursor: boolean,
    read: (frame: Frame) => T,
  ): Promise<T> {
    const pictures = this.#windowPictures ??= new WindowPictures(this.connection.name);
    const frame = pictures.frameOf(window);
    if (pictures.isFresh(frame)) await this.#painted(pictures, frame, window, region);
    return this.#ofWindow(pictures, frame, window, region, (picture) => {
      if (cursor) drawCursor(readCursor(this.connection), picture, region);
      return read(picture);
    });
  }

  /** Waits until a newly redirected window has painted its covered parts: it looks the same for a while. */
  async #painted(
    pictures: WindowPictures,
    frame: number,
    window: WindowInfo,
    region: Region,
  ): Promise<void> {
    const start = performance.now();
    const copy = () =>
      this.#ofWindow(pictures, frame, window, region, ({ pixels }) => new Uint32Array(pixels.slice().buffer));
    let last = copy(), sameSince = start;
    const isHandled = await this.handled?.(window, PAINTED_MS.handled);
    if (isHandled === false) {
      throw new StateError(
        `${JSON.stringify(window.title)} is covered and not responding, so it cannot be captured`,
      );
    }
    const same = timeByLoad(...PAINTED_MS.same), most = timeByLoad(...PAINTED_MS.most);
    while (performance.now() - sameSince < same && performance.now() - start < most) {
      await delay(PAINTED_MS.look);
      const now = copy();
      if (now.length !== last.length || now.some((pixel, i) => pixel !== last[i])) {
        sameSince = performance.now();
      }
      last = now;
    }
    pictures.painted(frame);
  }

  #ofWindow<T>(
    pictures: WindowPictures,
    frame: number,
    { title }: WindowInfo,
    region: Region,
    read: (frame: Frame) => T,
  ): T {
    this.#checkColours();
    const layout = rootLayout(this.connection);
    if (!layout || !isNative(layout)) {
      throw new UnsupportedError(
        "covered windows can be captured only on 24-bit screens; activate the window first",
      );
    }
    const content = pictures.content(frame);
    try {
      if (!content || !isWithin(region, content.place)) {
        throw new StateError(
          `${JSON.stringify(title)} moved or was closed while its picture was being taken; try again`,
        );
      }
      const { x, y } = content.place;
      const part = { ...region, x: region.x - x, y: region.y - y };
      return read(this.#capture.take(part, BigInt(content.pixmap)));
    } finally {
      content?.free();
    }
  }

  /** Captures a region; the next capture overwrites the frame. */
  take(region: Region, cursor: boolean): Frame {
    this.#checkColours();
    const frame = this.#capture.take(region);
    if (cursor) drawCursor(readCursor(this.connection), frame, region);
    return frame;
  }

  #picture(region: Region, cursor: boolean): Picture {
    this.#checkColours();
    if (this.#pictures?.isBroken) {
      this.#pictures.close();
      this.#pictures = undefined;
    }
    if (this.#pictures === undefined) this.#pictures = this.#openPictures() ?? null;
    const picture = this.#pictures?.take(region, cursor ? readCursor(this.connection) : undefined);
    return picture ?? copiedPicture(this.take(region, cursor));
  }

  #openPictures(): XcbPictures | undefined {
    const layout = rootLayout(this.connection), shm = openOptional("xcbShm");
    return shm && layout && isNative(layout) ? XcbPictures.open(shm, this.connection.name) : undefined;
  }

  /** @throws UnsupportedError if pixels do not represent colors. */
  #checkColours(): void {
    if (!this.connection.hasPalette) return;
    throw new UnsupportedError(
      "screens with a colour palette are not supported; start the X server with 24 bits " +
        "and TrueColor",
    );
  }

  /** Frees shared memory and the connection for pictures. */
  close(): void {
    this.#capture.close();
    this.#pictures?.close();
    this.#windowPictures?.close();
  }
}
