/** The windows that a person can switch to. No function here waits for the program of a window. */

import type { WindowInfo, WindowState } from "../../control/desktop.ts";
import type { Libraries } from "./libraries.ts";
import { OFF_SCREEN, WindowBounds } from "./window_bounds.ts";

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
   * Tells whether a window is in the list of Alt+Tab (R. Chen, "Which windows appear in the Alt+Tab list?"), or a
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
