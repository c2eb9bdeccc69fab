/** Draws the pointer's picture into a captured one, which Windows never contains it. */

import type { Region } from "../../control/desktop.ts";
import type { Libraries } from "./libraries.ts";

/** sizeof(CURSORINFO): cbSize 0, flags 4, hCursor 8, ptScreenPos 16. */
const CURSOR_INFO_BYTES = 24;
const CURSOR_SHOWING = 1;
/** sizeof(ICONINFO): fIcon 0, xHotspot 4, yHotspot 8, hbmMask 16, hbmColor 24. */
const ICON_INFO_BYTES = 32;
const IDC_ARROW = 32512n;
const DI_NORMAL = 3;

/**
 * Draws the pointer as it is now; nothing where a program hides it.
 * @param dc A device context that holds the picture of `region`.
 */
export function drawCursor(libraries: Libraries, dc: Deno.PointerValue, region: Region): void {
  const { user32 } = libraries;
  const info = new DataView(new ArrayBuffer(CURSOR_INFO_BYTES));
  info.setUint32(0, CURSOR_INFO_BYTES, true);
  if (!user32.GetCursorInfo(info) || !(info.getUint32(4, true) & CURSOR_SHOWING)) return;
  const draw = (cursor: Deno.PointerValue) => {
    const spot = cursor && hotSpot(libraries, cursor);
    if (!spot) return false;
    const x = info.getInt32(16, true) - spot.x - region.x;
    const y = info.getInt32(20, true) - spot.y - region.y;
    return user32.DrawIconEx(dc, x, y, cursor, 0, 0, 0, null, DI_NORMAL) !== 0;
  };
  // Another process' cursor cannot always be drawn (never under Wine): the arrow shows the place at least.
  if (!draw(Deno.UnsafePointer.create(info.getBigUint64(8, true)))) draw(user32.LoadCursorW(null, IDC_ARROW));
}

/** The pixel of a cursor that points, or undefined if Windows does not give the cursor's picture. */
function hotSpot(
  { user32, gdi32 }: Libraries,
  cursor: Deno.PointerValue,
): { x: number; y: number } | undefined {
  const icon = new DataView(new ArrayBuffer(ICON_INFO_BYTES));
  if (!user32.GetIconInfo(cursor, icon)) return undefined;
  for (const offset of [16, 24]) { // GetIconInfo makes bitmaps that are ours to free
    const bitmap = Deno.UnsafePointer.create(icon.getBigUint64(offset, true));
    if (bitmap) gdi32.DeleteObject(bitmap);
  }
  return { x: icon.getUint32(4, true), y: icon.getUint32(8, true) };
}
