/** Captures of the screen: BitBlt into a DIB section, and from there into memory that JavaScript owns. */

import type { Frame, Region } from "../../control/desktop/desktop.ts";
import type { Libraries } from "./symbols.ts";

// The pointer's picture, drawn into a capture: BitBlt leaves it out.

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
function drawCursor(libraries: Libraries, dc: Deno.PointerValue, region: Region): void {
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

const SRCCOPY = 0x00cc0020;
/** Also captures layered windows (windows with transparency); the pointer may flicker. */
const CAPTUREBLT = 0x40000000;
const DIB_RGB_COLORS = 0;
/** sizeof(BITMAPINFOHEADER); 32-bit pictures need no colour table. */
const HEADER_BYTES = 40;

/** A memory device context with a bitmap of one size selected into it. */
class Surface implements Disposable {
  readonly dc: Deno.PointerObject;
  readonly bits: Deno.PointerObject;
  readonly #bitmap: Deno.PointerObject;
  readonly #before: Deno.PointerValue;

  /** @throws Error if Windows has no memory for the bitmap. */
  constructor(readonly libraries: Libraries, readonly width: number, readonly height: number) {
    const { gdi32 } = libraries;
    const dc = gdi32.CreateCompatibleDC(null);
    if (!dc) throw new Error("CreateCompatibleDC failed");
    const bits = new BigUint64Array(1);
    const bitmap = gdi32.CreateDIBSection(dc, bitmapHeader(width, height), DIB_RGB_COLORS, bits, null, 0);
    const memory = Deno.UnsafePointer.create(bits[0]);
    if (!bitmap || !memory) {
      gdi32.DeleteDC(dc);
      throw new Error(`CreateDIBSection of ${width}x${height} failed`);
    }
    this.dc = dc;
    this.bits = memory;
    this.#bitmap = bitmap;
    this.#before = gdi32.SelectObject(dc, bitmap);
  }

  [Symbol.dispose](): void {
    const { gdi32 } = this.libraries;
    gdi32.SelectObject(this.dc, this.#before); // a selected bitmap cannot be freed
    gdi32.DeleteObject(this.#bitmap);
    gdi32.DeleteDC(this.dc);
  }
}

/** Captures regions; keeps the bitmap and its memory for the next region of the same size. */
export class ScreenCapture implements Disposable {
  #surface: Surface | undefined;
  #pixels = new Uint8Array(0);

  constructor(readonly libraries: Libraries) {}

  /**
   * Captures a region.
   * @param cursor Whether the pointer is drawn in.
   * @returns A frame, valid until the next call; undefined if Windows refused it.
   */
  take(region: Region, cursor: boolean): Frame | undefined {
    const { user32, gdi32 } = this.libraries;
    const { x, y, width, height } = region;
    const surface = this.#surfaceOf(width, height);
    const screen = user32.GetDC(null);
    if (!screen) return undefined;
    try {
      if (!gdi32.BitBlt(surface.dc, 0, 0, width, height, screen, x, y, SRCCOPY | CAPTUREBLT)) {
        return undefined;
      }
    } finally {
      user32.ReleaseDC(null, screen);
    }
    if (cursor) drawCursor(this.libraries, surface.dc, region);
    gdi32.GdiFlush(); // GDI works in batches; after the flush the bits are complete
    // Copies the pixels, since the bitmap's memory is freed when the size changes.
    const bytes = width * height * 4;
    if (this.#pixels.length !== bytes) this.#pixels = new Uint8Array(bytes);
    Deno.UnsafePointerView.copyInto(surface.bits, this.#pixels);
    return { width, height, stride: width * 4, pixels: this.#pixels };
  }

  #surfaceOf(width: number, height: number): Surface {
    if (this.#surface?.width !== width || this.#surface.height !== height) {
      this[Symbol.dispose]();
      this.#surface = new Surface(this.libraries, width, height);
    }
    return this.#surface;
  }

  [Symbol.dispose](): void {
    this.#surface?.[Symbol.dispose]();
    this.#surface = undefined;
  }
}

/** A BITMAPINFOHEADER for 32-bit rows from the top down. */
export function bitmapHeader(width: number, height: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES));
  view.setUint32(0, HEADER_BYTES, true);
  view.setInt32(4, width, true);
  view.setInt32(8, -height, true); // negative: from the top down
  view.setUint16(12, 1, true); // planes
  view.setUint16(14, 32, true); // bits a pixel
  return new Uint8Array(view.buffer);
}
