/**
 * The places of windows. Since Windows 10 a window's rectangle reaches some pixels beyond what is drawn, into a border
 * that can be dragged but not seen. The Desktop Window Manager (DWM) knows the part that a person sees.
 */

import type { Region } from "../../control/desktop.ts";
import { MONITOR_INFO } from "./displays.ts";
import type { Libraries } from "./libraries.ts";

/** DwmGetWindowAttribute: DWMWA_EXTENDED_FRAME_BOUNDS. */
const EXTENDED_FRAME_BOUNDS = 9;
/** sizeof(RECT): left, top, right, bottom. */
const RECT_BYTES = 16;
/** WINDOWPLACEMENT (winuser.h): its size, and where rcNormalPosition is. */
const PLACEMENT = { size: 44, normal: 28 } as const;
const MONITOR_DEFAULTTONEAREST = 2;
/** Left and top of a minimized window, which no window on a screen has. */
export const OFF_SCREEN = -32000;

/** Reads bounds of windows; each method returns undefined for a window that is gone. */
export class WindowBounds {
  readonly #rect = new Int32Array(RECT_BYTES / 4);
  readonly #placement = new DataView(new ArrayBuffer(PLACEMENT.size));
  readonly #monitor = new DataView(new ArrayBuffer(MONITOR_INFO.size));

  constructor(readonly libraries: Libraries) {}

  /** The visible region of a window that is not minimized. */
  visible(window: bigint): Region | undefined {
    const { dwmapi } = this.libraries;
    const isKnown =
      dwmapi?.DwmGetWindowAttribute(window, EXTENDED_FRAME_BOUNDS, this.#rect, RECT_BYTES) === 0;
    return isKnown ? region(this.#rect) : this.outer(window);
  }

  /** The rectangle that programs set and read, with the invisible border. */
  outer(window: bigint): Region | undefined {
    return this.libraries.user32.GetWindowRect(window, this.#rect) ? region(this.#rect) : undefined;
  }

  /** The rectangle that a minimized window goes back to. */
  restored(window: bigint): Region | undefined {
    const { user32 } = this.libraries;
    this.#placement.setUint32(0, PLACEMENT.size, true);
    if (!user32.GetWindowPlacement(window, this.#placement)) return undefined;
    const monitor = user32.MonitorFromWindow(window, MONITOR_DEFAULTTONEAREST);
    this.#monitor.setUint32(0, MONITOR_INFO.size, true);
    return restoredBounds(
      this.#placement,
      user32.GetMonitorInfoW(monitor, this.#monitor) ? this.#monitor : undefined,
    );
  }
}

/**
 * Reads rcNormalPosition, whose origin is that of the monitor's work area: it is moved by the size of a taskbar at
 * the left or the top.
 * @param placement A WINDOWPLACEMENT.
 * @param monitor The MONITORINFOEXW of the window's monitor, if it has one.
 */
export function restoredBounds(placement: DataView, monitor: DataView | undefined): Region {
  const [left, top, right, bottom] = [0, 4, 8, 12].map((at) =>
    placement.getInt32(PLACEMENT.normal + at, true)
  );
  const word = (at: number) => monitor?.getInt32(at, true) ?? 0;
  return {
    x: left + word(MONITOR_INFO.workLeft) - word(MONITOR_INFO.left),
    y: top + word(MONITOR_INFO.workTop) - word(MONITOR_INFO.top),
    width: right - left,
    height: bottom - top,
  };
}

/**
 * The rectangle to set, so that a person sees the wanted bounds.
 * @param outer The window's rectangle now.
 * @param visible What is seen of it now.
 */
export function outerFor(wanted: Region, outer: Region, visible: Region): Region {
  return {
    x: wanted.x + outer.x - visible.x,
    y: wanted.y + outer.y - visible.y,
    width: wanted.width + outer.width - visible.width,
    height: wanted.height + outer.height - visible.height,
  };
}

function region([left, top, right, bottom]: Int32Array): Region {
  return { x: left, y: top, width: right - left, height: bottom - top };
}
