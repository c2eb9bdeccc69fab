/** The screen of Windows: its layout and its pictures. */

import type { Display, Frame, Picture, Region, Screen, ScreenLayout } from "../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../core/errors.ts";
import { copiedPicture } from "../copied_picture.ts";
import { ScreenCapture } from "./capture.ts";
import type { InputSender } from "./input.ts";
import type { Libraries } from "./symbols.ts";

// The monitors and the virtual screen that they make up.

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
 * The whole virtual screen; its left and top are negative where a monitor stands left of or above the primary.
 * @throws DesktopUnavailableError where there is no monitor at all.
 */
export function virtualScreen(user32: Libraries["user32"]): Region {
  const [x, y, width, height] = VIRTUAL_SCREEN.map((index) => user32.GetSystemMetrics(index));
  if (width < 1 || height < 1) throw new DesktopUnavailableError("Windows reported no monitors");
  return { x, y, width, height };
}

/** Asks for the monitors again each time, since they come and go. */
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

// DPI awareness. A process that declares none gets scaled coordinates and scaled pictures, while hooks and
// absolute moves are in real pixels: its replays would act at other places than it recorded. Therefore
// deskhand declares DPI awareness before any other call of user32 or gdi32, and for the whole process, since
// Workers and other threads inherit only that.

/** DPI_AWARENESS_CONTEXT_PER_MONITOR_AWARE_V2, winuser.h. */
const PER_MONITOR_AWARE_V2 = -4n;
/** PROCESS_PER_MONITOR_DPI_AWARE, shellscalingapi.h. */
const PROCESS_PER_MONITOR_DPI_AWARE = 2;
/** The DPI_AWARENESS_CONTEXT values, whether with them every monitor is seen in real pixels, and a description. */
const CONTEXTS: readonly [value: bigint, ok: boolean, detail: string][] = [
  [PER_MONITOR_AWARE_V2, true, "per monitor, version 2"],
  [-3n, true, "per monitor"],
  [-2n, false, "system-wide only: other monitors are scaled"],
  [-5n, false, "none: all coordinates are scaled (GDI scaling)"],
  [-1n, false, "none: all coordinates are scaled"],
];

/**
 * Makes the process see real pixels on every monitor, by the newest function that this Windows has. The awareness can
 * be set once in the life of a process; a later call has no effect.
 */
export function declareDpiAwareness({ user32, shcore }: Libraries): void {
  if (user32.SetProcessDpiAwarenessContext?.(PER_MONITOR_AWARE_V2)) return;
  if (shcore?.SetProcessDpiAwareness(PROCESS_PER_MONITOR_DPI_AWARE) === 0) return;
  user32.SetProcessDPIAware();
}

/**
 * The awareness in force, as this thread sees it.
 * @returns Words for a person, and whether every monitor is seen in real pixels.
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
