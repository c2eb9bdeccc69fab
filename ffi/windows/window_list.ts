/** The windows that a person can switch to. No function here waits for the program of a window. */

import type { Region, WindowInfo, WindowState } from "../../control/desktop/desktop.ts";
import { MONITOR_INFO } from "./screen.ts";
import type { Libraries } from "./symbols.ts";

// The places of windows. Since Windows 10 a window's rectangle reaches some pixels beyond what is drawn, into
// a border that can be dragged but not seen. The Desktop Window Manager (DWM) knows the part that a person
// sees.

/** DwmGetWindowAttribute: DWMWA_EXTENDED_FRAME_BOUNDS. */
const EXTENDED_FRAME_BOUNDS = 9;
/** sizeof(RECT): left, top, right, bottom. */
const RECT_BYTES = 16;
/** WINDOWPLACEMENT (winuser.h): its size, and where rcNormalPosition is. */
const PLACEMENT = { size: 44, normal: 28 } as const;
const MONITOR_DEFAULTTONEAREST = 2;
/** Left and top of a minimized window, which no window on a screen has. */
const OFF_SCREEN = -32000;

/** Reads bounds of windows; each method returns undefined for a window that is gone. */
class WindowBounds {
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

/** GetWindowLongPtrW: GWL_STYLE and GWL_EXSTYLE, with the bits that are read (winuser.h). */
const GWL_STYLE = -16;
const GWL_EXSTYLE = -20;
const WS_CAPTION = 0xc00000n;
const WS_EX_TOOLWINDOW = 0x80n;
const WS_EX_APPWINDOW = 0x40000n;
/** GetWindow. */
const GW_OWNER = 4;
/** DwmGetWindowAttribute: DWMWA_CLOAKED, set for windows of other virtual desktops and for apps that sleep. */
const CLOAKED = 14;
/** UTF-16 units of a title or a class that are read. */
const TEXT_UNITS = 1024;

/** The callback of EnumWindows: HWND, LPARAM. */
const WINDOW_ENUM_PROC = { parameters: ["usize", "isize"], result: "i32" } as const;

/** Lists windows. */
export class WindowList implements Disposable {
  readonly bounds: WindowBounds;
  readonly #text = new Uint16Array(TEXT_UNITS);
  readonly #number = new Uint32Array(1);
  #callback: Deno.UnsafeCallback<typeof WINDOW_ENUM_PROC> | undefined;
  #found: bigint[] = [];

  constructor(readonly libraries: Libraries) {
    this.bounds = new WindowBounds(libraries);
  }

  /** The windows, the front one first. A window that goes away during the reading is left out. */
  list(): WindowInfo[] {
    const { user32 } = this.libraries;
    this.#callback ??= new Deno.UnsafeCallback(WINDOW_ENUM_PROC, (window) => {
      this.#found.push(window);
      return 1; // go on
    });
    this.#found = [];
    user32.EnumWindows(this.#callback.pointer, 0n);
    const listed = this.#found.filter((window) => this.#isListed(window));
    const active = activeOf(user32, listed);
    return listed.flatMap((window) => this.#describe(window, active) ?? []);
  }

  /**
   * Reads the state of a window. Windows has no fullscreen state: programs hide the frame and fill the screen
   * themselves. A window that is being restored loses its minimized style a moment before it is back on the screen.
   */
  state(window: bigint): WindowState {
    const { user32 } = this.libraries;
    if (user32.IsIconic(window) || this.bounds.outer(window)?.x === OFF_SCREEN) return "minimized";
    return user32.IsZoomed(window) ? "maximized" : "normal";
  }

  /** The title, as Windows keeps it. */
  title(window: bigint): string {
    return this.#read(this.libraries.user32.InternalGetWindowText(window, this.#text, TEXT_UNITS));
  }

  [Symbol.dispose](): void {
    this.#callback?.close();
    this.#callback = undefined;
  }

  /**
   * Whether a window is in the list of Alt+Tab (R. Chen, "Which windows appear in the Alt+Tab list?"), or a
   * dialog, which Alt+Tab shows in the place of its owner: a window with an owner and a title bar.
   */
  #isListed(window: bigint): boolean {
    const { user32 } = this.libraries;
    if (!user32.IsWindowVisible(window) || this.#isCloaked(window)) return false;
    const extended = user32.GetWindowLongPtrW(window, GWL_EXSTYLE);
    if (extended & WS_EX_APPWINDOW) return true;
    if (extended & WS_EX_TOOLWINDOW) return false;
    if (!user32.GetWindow(window, GW_OWNER)) return true;
    return (user32.GetWindowLongPtrW(window, GWL_STYLE) & WS_CAPTION) === WS_CAPTION;
  }

  #isCloaked(window: bigint): boolean {
    const { dwmapi } = this.libraries;
    return dwmapi?.DwmGetWindowAttribute(window, CLOAKED, this.#number, 4) === 0 && this.#number[0] !== 0;
  }

  /** @returns undefined if the window is gone. Each result is checked: a call that fails leaves the buffer as it was. */
  #describe(window: bigint, active: bigint): WindowInfo | undefined {
    const { user32 } = this.libraries;
    const state = this.state(window);
    const bounds = state === "minimized" ? this.bounds.restored(window) : this.bounds.visible(window);
    if (!bounds || !user32.GetWindowThreadProcessId(window, this.#number)) return undefined;
    return {
      id: `0x${window.toString(16)}`,
      title: this.title(window),
      class: this.#read(user32.GetClassNameW(window, this.#text, TEXT_UNITS)),
      pid: this.#number[0],
      ...bounds,
      state,
      active: window === active,
    };
  }

  #read(units: number): string {
    return new TextDecoder("utf-16le").decode(this.#text.subarray(0, units));
  }
}

/** The window that gets the keys: the window in front, or the nearest of its owners that is listed. */
function activeOf(user32: Libraries["user32"], listed: readonly bigint[]): bigint {
  let window = user32.GetForegroundWindow();
  while (window && !listed.includes(window)) window = user32.GetWindow(window, GW_OWNER);
  return window;
}
