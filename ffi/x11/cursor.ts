/** The pointer's picture (XFixes, XFixesGetCursorImage), drawn into a frame. */

import type { Frame, Region } from "../../control/desktop.ts";
import type { Connection } from "./connection.ts";

/** Layout of XFixesCursorImage (X11/extensions/Xfixes.h) with 64-bit longs. */
const CURSOR = { x: 0, y: 2, width: 4, height: 6, hotX: 8, hotY: 10, pixels: 24 } as const;

/**
 * Draws the pointer where it is.
 * @param frame A picture of `region`; changed in place.
 */
export function drawCursor(
  { libraries: { x11, xfixes }, display }: Connection,
  frame: Frame,
  region: Region,
) {
  const image = xfixes.XFixesGetCursorImage(display);
  if (!image) return;
  const view = new Deno.UnsafePointerView(image);
  const width = view.getUint16(CURSOR.width), height = view.getUint16(CURSOR.height);
  const left = view.getInt16(CURSOR.x) - view.getUint16(CURSOR.hotX) - region.x;
  const top = view.getInt16(CURSOR.y) - view.getUint16(CURSOR.hotY) - region.y;
  const pixels = view.getPointer(CURSOR.pixels);
  if (pixels) {
    // An unsigned long a pixel, of which the lower 32 bits count: premultiplied ARGB.
    const argb = new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pixels, width * height * 8));
    blend(frame, argb, { x: left, y: top, width, height });
  }
  x11.XFree(image);
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
