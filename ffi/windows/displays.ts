/** The monitors and the virtual screen that they make up. */

import type { Display, Region, ScreenLayout } from "../../control/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import type { Libraries } from "./libraries.ts";

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
export interface Monitor {
  display: Display;
  handle: Deno.PointerValue;
}

/**
 * The whole virtual screen; its left and top are negative where a monitor stands left of or above the primary.
 * @throws DesktopUnavailableError where there is no monitor at all.
 */
export function virtualScreen(user32: Libraries["user32"]): Region {
  const [x, y, width, height] = VIRTUAL_SCREEN.map((index) => user32.GetSystemMetrics(index));
  if (width < 1 || height < 1) throw new DesktopUnavailableError("Windows reports no monitor");
  return { x, y, width, height };
}

/** Asks for the monitors anew each time, since they come and go. */
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
      return 1; // go on
    });
  }

  /** The monitors, in Windows' order. */
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

/** Reads a MONITORINFOEXW, of 104 bytes. */
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
