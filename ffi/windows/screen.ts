/** The Windows screen: its layout and its pictures. */

import type { Display, Frame, Picture, Region, Screen, ScreenLayout } from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { copiedPicture } from "../copied_picture.ts";
import type { InputSender } from "./input.ts";
import type { Libraries } from "./symbols.ts";

// The monitors and the virtual screen that they form.

/** winuser.h: SM_XVIRTUALSCREEN, SM_YVIRTUALSCREEN, SM_CXVIRTUALSCREEN, SM_CYVIRTUALSCREEN. */
const VIRTUAL_SCREEN = [76, 77, 78, 79] as const;
/** Offsets in MONITORINFOEXW (winuser.h): rcMonitor, the left and top of rcWork, and the rest. */
export const MONITOR_INFO = {
  size: 104,
  left: 4,
  top: 8,
  right: 12,
  bottom: 16,
  workLeft: 20,
  workTop: 24,
  flags: 36,
  device: 40,
} as const;
const MONITORINFOF_PRIMARY = 1;

/** The callback of EnumDisplayMonitors: HMONITOR, HDC, RECT*, LPARAM. */
const MONITOR_ENUM_PROC = {
  parameters: ["pointer", "pointer", "pointer", "isize"],
  result: "i32",
} as const;

/** A display and its HMONITOR. */
interface Monitor {
  display: Display;
  handle: Deno.PointerValue;
}

/**
 * The whole virtual screen; its left and top are negative if a monitor is to the left of or above the primary
 * one.
 * @throws DesktopUnavailableError if there is no monitor at all.
 */
export function virtualScreen(user32: Libraries["user32"]): Region {
  const [x, y, width, height] = VIRTUAL_SCREEN.map((index) => user32.GetSystemMetrics(index));
  if (width < 1 || height < 1) throw new DesktopUnavailableError("Windows reported no monitors");
  return { x, y, width, height };
}

/** Queries the monitors each time, since they come and go. */
export class Displays implements Disposable {
  readonly #info = new Uint8Array(MONITOR_INFO.size);
  readonly #callback: Deno.UnsafeCallback<typeof MONITOR_ENUM_PROC>;
  #found: Monitor[] = [];

  constructor(readonly libraries: Libraries) {
    this.#callback = new Deno.UnsafeCallback(MONITOR_ENUM_PROC, (monitor) => {
      new DataView(this.#info.buffer).setUint32(0, MONITOR_INFO.size, true);
      if (libraries.user32.GetMonitorInfoW(monitor, this.#info)) {
        this.#found.push({ display: decodeMonitorInfo(this.#info), handle: monitor });
      }
      return 1; // continue
    });
  }

  /** The monitors, in the order reported by Windows. */
  monitors(): Monitor[] {
    this.#found = [];
    this.libraries.user32.EnumDisplayMonitors(null, null, this.#callback.pointer, 0n);
    return this.#found;
  }

  /** The virtual screen with its displays, exactly one of them primary. */
  layout(): ScreenLayout {
    const displays = this.monitors().map(({ display }) => display);
    if (displays.length > 0 && !displays.some((display) => display.primary)) {
      (displays.find(({ x, y }) => x === 0 && y === 0) ?? displays[0]).primary = true;
    }
    return { ...virtualScreen(this.libraries.user32), displays };
  }

  [Symbol.dispose](): void {
    this.#callback.close();
  }
}

/** Reads a MONITORINFOEXW of 104 bytes. */
export function decodeMonitorInfo(info: Uint8Array<ArrayBuffer>): Display {
  const view = new DataView(info.buffer, info.byteOffset);
  const x = view.getInt32(MONITOR_INFO.left, true), y = view.getInt32(MONITOR_INFO.top, true);
  const name = new TextDecoder("utf-16le").decode(info.subarray(MONITOR_INFO.device)).replace(/\0.*$/s, "");
  return {
    name: name.replace(/^\\\\\.\\/, ""), // \\.\DISPLAY1
    primary: (view.getUint32(MONITOR_INFO.flags, true) & MONITORINFOF_PRIMARY) !== 0,
    x,
    y,
    width: view.getInt32(MONITOR_INFO.right, true) - x,
    height: view.getInt32(MONITOR_INFO.bottom, true) - y,
  };
}

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

// DPI awareness. A process that declares none gets scaled coordinates and pictures, while hooks and absolute
// moves are in real pixels: its replays would act at other positions than it recorded. Therefore deskhand
// declares DPI awareness before any other user32 or gdi32 call, and for the whole process, since Workers and
// other threads inherit only that.

/** DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, winuser.h. */
const PER_MONITOR_AWARE_V2 = -4n;
/** PROCESS_PER_MONITOR_DPI_AWARE, shellscalingapi.h. */
const PROCESS_PER_MONITOR_DPI_AWARE = 2;
/** DPI_AWARENESS_CONTEXT values, whether each shows every monitor in real pixels, and a description. */
const CONTEXTS: readonly [value: bigint, ok: boolean, detail: string][] = [
  [PER_MONITOR_AWARE_V2, true, "per monitor, version 2"],
  [-3n, true, "per monitor"],
  [-2n, false, "system-wide only: other monitors are scaled"],
  [-5n, false, "none: all coordinates are scaled (GDI scaling)"],
  [-1n, false, "none: all coordinates are scaled"],
];

/**
 * Makes the process see real pixels on every monitor, with the newest function that this Windows has. The
 * awareness can be set only once per process; later calls have no effect.
 */
export function declareDpiAwareness({ user32, shcore }: Libraries): void {
  if (user32.SetProcessDpiAwarenessContext?.(PER_MONITOR_AWARE_V2)) return;
  if (shcore?.SetProcessDpiAwareness(PROCESS_PER_MONITOR_DPI_AWARE) === 0) return;
  user32.SetProcessDPIAware();
}

/**
 * The effective awareness of this thread.
 * @returns A description, and whether every monitor is seen in real pixels.
 */
export function dpiAwareness({ user32 }: Libraries): { ok: boolean; detail: string } {
  const context = user32.GetThreadDpiAwarenessContext?.();
  if (context === undefined || context === null) {
    return { ok: true, detail: "set; this Windows cannot tell which one is in force" };
  }
  const isInForce = (value: bigint) => Boolean(user32.AreDpiAwarenessContextsEqual?.(context, value));
  const [, ok, detail] = CONTEXTS.find(([value]) => isInForce(value)) ?? [context, false, "unknown"];
  return { ok, detail };
}

// Screen captures: BitBlt into a DIB section, and from there into memory owned by JavaScript.

// The pointer's picture, drawn into a capture, since BitBlt omits it.

/** Offsets in CURSORINFO (winuser.h). */
const CURSOR_INFO = { size: 24, cbSize: 0, flags: 4, cursor: 8, x: 16, y: 20 } as const;
const CURSOR_SHOWING = 1;
/** Offsets in ICONINFO (winuser.h). */
const ICON_INFO = { size: 32, hotX: 4, hotY: 8, mask: 16, color: 24 } as const;
const IDC_ARROW = 32512n;
const DI_NORMAL = 3;

/**
 * Draws the current pointer, unless a program hides it.
 * @param dc A device context that contains the picture of `region`.
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
  // Another process's cursor cannot always be drawn (never under Wine): the arrow at least shows the
  // position.
  if (!draw(cursor)) draw(user32.LoadCursorW(null, IDC_ARROW));
}

/** A cursor's hot spot; undefined if Windows refuses the cursor's picture. */
function hotSpot(
  { user32, gdi32 }: Libraries,
  cursor: Deno.PointerValue,
): { x: number; y: number } | undefined {
  const icon = new DataView(new ArrayBuffer(ICON_INFO.size));
  if (!user32.GetIconInfo(cursor, icon)) return undefined;
  for (const offset of [ICON_INFO.mask, ICON_INFO.color]) { // GetIconInfo creates them for its caller to free
    const bitmap = Deno.UnsafePointer.create(icon.getBigUint64(offset, true));
    if (bitmap) gdi32.DeleteObject(bitmap);
  }
  return { x: icon.getUint32(ICON_INFO.hotX, true), y: icon.getUint32(ICON_INFO.hotY, true) };
}

const SRCCOPY = 0x00cc0020;
/** Also captures layered windows (windows with transparency); the pointer may flicker. */
const CAPTUREBLT = 0x40000000;
const DIB_RGB_COLORS = 0;
/** sizeof(BITMAPINFOHEADER); 32-bit pictures need no color table. */
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
   * @param cursor Whether to draw the pointer.
   * @returns A frame, valid until the next call; undefined if Windows refused the capture.
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
    gdi32.GdiFlush(); // GDI works in batches; after the flush, the bits are complete
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

/** A BITMAPINFOHEADER for 32-bit rows from the top. */
export function bitmapHeader(width: number, height: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(HEADER_BYTES));
  view.setUint32(0, HEADER_BYTES, true);
  view.setInt32(4, width, true);
  view.setInt32(8, -height, true); // negative: rows from the top
  view.setUint16(12, 1, true); // planes
  view.setUint16(14, 32, true); // bits per pixel
  return new Uint8Array(view.buffer);
}
