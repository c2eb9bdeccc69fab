/** The pointer's picture, drawn into a capture: BitBlt leaves it out. */

import type { Region } from "../../control/desktop.ts";
import type { Libraries } from "./libraries.ts";

/** Offsets in CURSORINFO (winuser.h). */
const CURSOR_INFO = { size: 24, cbSize: 0, flags: 4, cursor: 8, x: 16, y: 20 } as const;
const CURSOR_SHOWING = 1;
/** Offsets in ICONINFO (winuser.h). */
const ICON_INFO = { size: 32, hotX: 4, hotY: 8, mask: 16, color: 24 } as const;
const IDC_ARROW = 32512n;
const DI_NORMAL = 3;

/**
 * Draws the present pointer; nothing if a program hides it.
 * @param dc A device context that holds the picture of `region`.
 */
export function drawCursor(libraries: Libraries, dc: Deno.PointerValue, region: Region): void {
  const { user32 } = libraries;
  const info = new DataView(new ArrayBuffer(CURSOR_INFO.size));
  info.setUint32(CURSOR_INFO.cbSize, CURSOR_INFO.size, true);
  if (!user32.GetCursorInfo(info) || !(info.getUint32(CURSOR_INFO.flags, true) & CURSOR_SHOWING)) return;
  const draw = (cursor: Deno.PointerValue) => {
    const spot = cursor && hotSpot(libraries, cursor);
    if (!spot) return false;
    const x = info.getInt32(CURSOR_INFO.x, true) - spot.x - region.x;
    const y = info.getInt32(CURSOR_INFO.y, true) - spot.y - region.y;
    return user32.DrawIconEx(dc, x, y, cursor, 0, 0, 0, null, DI_NORMAL) !== 0;
  };
  const cursor = Deno.UnsafePointer.create(info.getBigUint64(CURSOR_INFO.cursor, true));
  // Another process' cursor cannot always be drawn (never under Wine): the arrow at least shows the place.
  if (!draw(cursor)) draw(user32.LoadCursorW(null, IDC_ARROW));
}

/** The pixel of a cursor that points; undefined if Windows refuses the cursor's picture. */
function hotSpot(
  { user32, gdi32 }: Libraries,
  cursor: Deno.PointerValue,
): { x: number; y: number } | undefined {
  const icon = new DataView(new ArrayBuffer(ICON_INFO.size));
  if (!user32.GetIconInfo(cursor, icon)) return undefined;
  for (const offset of [ICON_INFO.mask, ICON_INFO.color]) { // GetIconInfo makes bitmaps that its caller frees
    const bitmap = Deno.UnsafePointer.create(icon.getBigUint64(offset, true));
    if (bitmap) gdi32.DeleteObject(bitmap);
  }
  return { x: icon.getUint32(ICON_INFO.hotX, true), y: icon.getUint32(ICON_INFO.hotY, true) };
}
