/** The pointer's picture (XFixes, XFixesGetCursorImage), drawn into a frame. */

import type { Frame, Point, Region } from "../../control/desktop.ts";
import type { Connection } from "./connection.ts";

/** Offsets in XFixesCursorImage (X11/extensions/Xfixes.h) with 64-bit longs. */
export const CURSOR = { x: 0, y: 2, width: 4, height: 6, hotX: 8, hotY: 10, pixels: 24 } as const;

/** The pointer's picture, and its place on the desktop. */
export interface Cursor extends Region {
  /** The pixel that points, from the top left corner. */
  hot: Point;
  /** An unsigned long a pixel, of which the lower 32 bits count: premultiplied ARGB. */
  argb: Uint8Array;
}

/** Asks for the pointer's picture; undefined where there is none. */
export function readCursor({ libraries: { x11, xfixes }, display }: Connection): Cursor | undefined {
  const image = xfixes.XFixesGetCursorImage(display);
  if (!image) return undefined;
  const view = new Deno.UnsafePointerView(image);
  const width = view.getUint16(CURSOR.width), height = view.getUint16(CURSOR.height);
  const pixels = view.getPointer(CURSOR.pixels);
  const argb = new Uint8Array(pixels ? width * height * 8 : 0);
  if (pixels) new Deno.UnsafePointerView(pixels).copyInto(argb);
  const hot = { x: view.getUint16(CURSOR.hotX), y: view.getUint16(CURSOR.hotY) };
  const cursor = {
    x: view.getInt16(CURSOR.x) - hot.x,
    y: view.getInt16(CURSOR.y) - hot.y,
    hot,
    width,
    height: pixels ? height : 0,
    argb,
  };
  x11.XFree(image);
  return cursor;
}

/**
 * Draws the pointer.
 * @param cursor The pointer's picture; without one nothing is drawn.
 * @param frame The frame, which is changed in place.
 * @param place The frame's place on the desktop.
 */
export function drawCursor(cursor: Cursor | undefined, frame: Frame, place: Point): void {
  if (!cursor) return;
  const { argb, x, y, width, height } = cursor;
  blend(frame, argb, { x: x - place.x, y: y - place.y, width, height });
}

function blend(frame: Frame, argb: Uint8Array, at: Region) {
  for (let row = Math.max(0, -at.y); row < Math.min(at.height, frame.height - at.y); row++) {
    for (let column = Math.max(0, -at.x); column < Math.min(at.width, frame.width - at.x); column++) {
      const from = (row * at.width + column) * 8;
      const to = (at.y + row) * frame.stride + (at.x + column) * 4;
      const rest = 255 - argb[from + 3];
      for (let i = 0; i < 3; i++) {
        frame.pixels[to + i] = argb[from + i] + Math.round(frame.pixels[to + i] * rest / 255);
      }
    }
  }
}
