/**
 * Changes to windows. Every request is posted, so that an unresponsive program blocks nothing here. Windows
 * lets only some programs bring a window to the front (see the remarks on SetForegroundWindow), and its calls
 * report success either way, so the foreground window is checked afterwards.
 */

import { delay } from "@std/async/delay";
import type {
  Region,
  WindowChange,
  WindowInfo,
  Windows,
  WindowState,
} from "../../control/desktop/desktop.ts";
import { StateError } from "../../core/errors.ts";
import { timeByLoad } from "../../core/proc.ts";
import { until } from "../../core/until.ts";
import { type InputSender, NO_INPUT } from "./input.ts";
import type { Libraries } from "./symbols.ts";
import { MONITOR_INFO } from "./screen.ts";

/** ShowWindowAsync. */
const SHOW = { maximized: 3, minimized: 6, restored: 9 } as const;
/** SetWindowPos: SWP_NOZORDER, SWP_NOACTIVATE, SWP_ASYNCWINDOWPOS. */
const PLACE = 0x4 | 0x10 | 0x4000;
const WM_CLOSE = 0x10;
/**
 * Maximum time for a window to become normal before it is placed, longer on a busy machine, and interval
 * between checks, in milliseconds.
 */
const NORMAL_MS = 1000, LOOK_MS = 5;
/** Maximum time for a window that has become normal to have its bounds, in milliseconds. */
const SETTLE_MS = 50;

/** The windows on this process's desktop. */
export class DesktopWindows implements Windows {
  readonly #list: WindowList;

  /** @param sender Sends input, and knows which programs may receive it. */
  constructor(readonly libraries: Libraries, readonly sender: InputSender) {
    this.#list = new WindowList(libraries);
  }

  list(): Promise<WindowInfo[]> {
    return Promise.try(() => this.#list.list());
  }

  async change({ id }: WindowInfo, change: WindowChange): Promise<void> {
    const { user32 } = this.libraries, window = BigInt(id);
    if (change.to === "active") return await this.#activate(window);
    const refusal = this.sender.guard.refusal(window);
    if (refusal) throw new StateError(`Windows does not let other programs change window ${id}: ${refusal}`);
    switch (change.to) {
      case "fullscreen":
        throw new StateError(
          "Windows does not let other programs make a window fullscreen; press the program's own key, often f11",
        );
      case "minimized":
      case "maximized":
        user32.ShowWindowAsync(window, SHOW[change.to]);
        return;
      case "normal":
        user32.ShowWindowAsync(window, SHOW.restored);
        return;
      case "closed":
        user32.PostMessageW(window, WM_CLOSE, 0n, 0n);
        return;
      case "placed":
        await this.#makeNormal(window);
        this.#place(window, change.region);
    }
  }

  dialogOver({ id }: WindowInfo): Promise<Pick<WindowInfo, "id" | "title"> | undefined> {
    const dialog = this.#dialogOver(BigInt(id));
    return Promise.resolve(
      dialog ? { id: `0x${dialog.toString(16)}`, title: this.#list.title(dialog) } : undefined,
    );
  }

  /** The dialog that has disabled a window; undefined if none has. */
  #dialogOver(window: bigint): bigint | undefined {
    const { user32 } = this.libraries;
    const dialog = user32.IsWindowEnabled(window) ? window : user32.GetLastActivePopup(window);
    return dialog === window || dialog === 0n ? undefined : dialog;
  }

  /** @throws StateError if the window does not come to the front, or waits for a dialog (then activated). */
  async #activate(window: bigint): Promise<void> {
    const { user32 } = this.libraries;
    if (user32.IsIconic(window)) user32.ShowWindowAsync(window, SHOW.restored);
    const dialog = this.#dialogOver(window);
    await bringToFront(this.libraries, this.sender, dialog ?? window);
    if (dialog === undefined) return;
    const title = JSON.stringify(this.#list.title(dialog));
    throw new StateError(`the window is waiting for its dialog 0x${dialog.toString(16)} titled ${title}`);
  }

  /**
   * Restores a minimized or maximized window: bounds that are not given stay as they were. A window that was
   * maximized before it was minimized takes two steps.
   * @throws StateError if the window's program is not responding.
   */
  async #makeNormal(window: bigint): Promise<void> {
    let state: WindowState = "normal", asked: WindowState = "normal";
    const isNormal = await until(() => {
      state = this.#list.state(window);
      if (state === "normal") return true;
      if (state !== asked) this.libraries.user32.ShowWindowAsync(window, SHOW.restored);
      asked = state;
      return false;
    }, { ms: timeByLoad(NORMAL_MS), every: LOOK_MS });
    if (!isNormal) throw new StateError(`the window is still ${state}: its program is not responding`);
    if (asked !== "normal") await delay(SETTLE_MS);
  }

  /** Sets the visible bounds; omitted bounds do not change. */
  #place(window: bigint, wanted: Partial<Region>): void {
    const { bounds } = this.#list;
    const outer = bounds.outer(window), visible = bounds.visible(window);
    if (!outer || !visible) return; // the window is gone
    const { x, y, width, height } = outerFor({ ...visible, ...wanted }, outer, visible);
    this.libraries.user32.SetWindowPos(window, 0n, x, y, width, height, PLACE);
  }
}

// Whether programs are responding.

/** SendMessageTimeoutW: a message without effect, which is not sent to a program that hangs. */
export const WM_NULL = 0, SMTO_ABORTIFHUNG = 2;

/**
 * Whether a window's program answers a message without effect (SendMessageTimeoutW), without blocking this
 * thread. Windows refuses at once while the program has read no message for 5 s, but it may go on at any
 * moment.
 * @param ms Maximum time for the program, in milliseconds.
 */
export async function isResponsive(
  user32: Libraries["user32"],
  window: bigint,
  ms: number,
): Promise<boolean> {
  const end = performance.now() + ms;
  const answers = async () => {
    const left = Math.max(1, Math.ceil(end - performance.now()));
    if (await user32.SendMessageTimeoutW(window, WM_NULL, 0n, 0n, SMTO_ABORTIFHUNG, left, null)) return "yes";
    return user32.IsWindow(window) ? undefined : "gone";
  };
  return await until(answers, { ms, every: LOOK_MS }) === "yes";
}

/** Maximum time for a window to come to the front, in milliseconds; longer on a busy machine. */
const FRONT_MS = 500;
/** Maximum time for a responsive program to answer, in milliseconds; longer on a busy machine. */
const ANSWER_MS = 200;
/** SetWindowPos: SWP_NOSIZE, SWP_NOMOVE, SWP_NOACTIVATE, SWP_ASYNCWINDOWPOS; HWND_TOP. */
const RAISE = 0x1 | 0x2 | 0x10 | 0x4000;
const HWND_TOP = 0n;

/**
 * Brings a window to the front and focuses it.
 * @param sender Sends the input that makes Windows allow the activation.
 * @throws StateError with the reason if the window does not come to the front; DesktopUnavailableError if
 * Windows accepts no input, as on a locked screen.
 */
export async function bringToFront(
  libraries: Libraries,
  sender: InputSender,
  window: bigint,
): Promise<void> {
  const { user32 } = libraries;
  // The program with the last input may choose the foreground window; this input has no other effect.
  sender.send([NO_INPUT]);
  raise(user32, window);
  if (await comesToFront(user32, window)) return;
  if (!await isResponsive(user32, window, timeByLoad(ANSWER_MS))) {
    throw new StateError("cannot bring the window to the front: its program is not responding");
  }
  const front = user32.GetForegroundWindow();
  // Sharing input with an unresponsive program would block this one too.
  if (!front || await isResponsive(user32, front, timeByLoad(ANSWER_MS))) {
    const other = user32.GetWindowThreadProcessId(front, null);
    sharingInput(libraries, other, () => raise(user32, window));
    if (await comesToFront(user32, window)) return;
  }
  const refusal = sender.guard.refusal(front),
    reason = refusal ? `: the window in front keeps it, and ${refusal}` : "";
  throw new StateError(`Windows did not let the window come to the front${reason}`);
}

/**
 * Raises a window that Windows has put in front; Windows does so itself, but Wine relies on a window manager.
 */
function raise(user32: Libraries["user32"], window: bigint): void {
  user32.SetWindowPos(window, HWND_TOP, 0, 0, 0, 0, RAISE);
  user32.SetForegroundWindow(window);
}

/**
 * Acts with the rights of another thread's program, such as the foreground one: both threads share their input
 * meanwhile.
 * @param other The thread; 0 for none.
 */
export function sharingInput({ user32, kernel32 }: Libraries, other: number, act: () => void): void {
  const own = kernel32.GetCurrentThreadId();
  const isShared = other !== 0 && other !== own && user32.AttachThreadInput(own, other, 1) !== 0;
  try {
    act();
  } finally {
    if (isShared) user32.AttachThreadInput(own, other, 0);
  }
}

/**
 * Waits until a window is in front, or gone: the caller then finds it missing from the list. The window's own
 * thread raises it before it answers; a later raise would put the window over one that has since been
 * activated.
 */
async function comesToFront(user32: Libraries["user32"], window: bigint): Promise<boolean> {
  const isInFront = () => user32.GetForegroundWindow() === window || !user32.IsWindow(window);
  if (!await until(isInFront, { ms: timeByLoad(FRONT_MS), every: LOOK_MS })) return false;
  await isResponsive(user32, window, timeByLoad(ANSWER_MS));
  return true;
}

// The windows that a user can switch to. No function here waits for a window's program.

// The regions of windows. Since Windows 10, a window's rectangle extends some pixels beyond what is drawn,
// into a border that can be dragged but not seen. The Desktop Window Manager (DWM) knows the visible part.

/** DwmGetWindowAttribute: DWMWA_EXTENDED_FRAME_BOUNDS. */
const EXTENDED_FRAME_BOUNDS = 9;
/** sizeof(RECT): left, top, right, bottom. */
const RECT_BYTES = 16;
/** WINDOWPLACEMENT (winuser.h): its size, and the offset of rcNormalPosition. */
const PLACEMENT = { size: 44, normal: 28 } as const;
const MONITOR_DEFAULTTONEAREST = 2;
/** Left and top of a minimized window, which no window on a screen has. */
const OFF_SCREEN = -32000;

/** Reads windows' bounds; each method returns undefined for a window that is gone. */
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

  /** The rectangle that programs set and read, including the invisible border. */
  outer(window: bigint): Region | undefined {
    return this.libraries.user32.GetWindowRect(window, this.#rect) ? region(this.#rect) : undefined;
  }

  /** The rectangle to which a minimized window is restored. */
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
 * Reads rcNormalPosition, whose origin is that of the monitor's work area: it is offset by the size of a
 * taskbar on the left or at the top.
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
 * The rectangle to set so that the wanted bounds are visible.
 * @param outer The window's current rectangle.
 * @param visible Its visible part.
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

/** GetWindowLongPtrW: GWL_STYLE and GWL_EXSTYLE, with the bits in use (winuser.h). */
const GWL_STYLE = -16;
const GWL_EXSTYLE = -20;
const WS_CAPTION = 0xc00000n;
const WS_EX_TOOLWINDOW = 0x80n;
const WS_EX_APPWINDOW = 0x40000n;
/** GetWindow. */
const GW_OWNER = 4;
/** DwmGetWindowAttribute: DWMWA_CLOAKED, set for windows on other virtual desktops and for suspended apps. */
const CLOAKED = 14;
/** Maximum number of UTF-16 units of a title or class to read. */
const TEXT_UNITS = 1024;

/** The callback of EnumWindows: HWND, LPARAM. */
const WINDOW_ENUM_PROC = { parameters: ["usize", "isize"], result: "i32" } as const;

/** All top-level windows, topmost first. */
export function topWindows(user32: Libraries["user32"]): bigint[] {
  const found: bigint[] = [];
  const callback = new Deno.UnsafeCallback(WINDOW_ENUM_PROC, (window) => found.push(window)); // not 0: go on
  user32.EnumWindows(callback.pointer, 0n);
  callback.close();
  return found;
}

/** Lists windows. */
class WindowList {
  readonly bounds: WindowBounds;
  readonly #text = new Uint16Array(TEXT_UNITS);
  readonly #number = new Uint32Array(1);

  constructor(readonly libraries: Libraries) {
    this.bounds = new WindowBounds(libraries);
  }

  /** The windows, topmost first. A window that disappears meanwhile is skipped. */
  list(): WindowInfo[] {
    const { user32 } = this.libraries;
    const listed = topWindows(user32).filter((window) => this.#isListed(window));
    const active = activeOf(user32, listed);
    return listed.flatMap((window) => this.#describe(window, active) ?? []);
  }

  /**
   * Reads a window's state. Windows has no fullscreen state: programs hide the frame and fill the screen
   * themselves. A window that is being restored loses its minimized style a moment before it is back on the
   * screen.
   */
  state(window: bigint): WindowState {
    const { user32 } = this.libraries;
    if (user32.IsIconic(window) || this.bounds.outer(window)?.x === OFF_SCREEN) return "minimized";
    return user32.IsZoomed(window) ? "maximized" : "normal";
  }

  /** The title, as stored by Windows. */
  title(window: bigint): string {
    return this.#read(this.libraries.user32.InternalGetWindowText(window, this.#text, TEXT_UNITS));
  }

  /**
   * Whether a window is in the Alt+Tab list (R. Chen, "Which windows appear in the Alt+Tab list?"), or is a
   * dialog, which Alt+Tab shows in place of its owner: a window with an owner and a title bar.
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

  /**
   * @returns undefined if the window is gone. Checks each result: a failed call does not change the buffer.
   */
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

/** The window that receives keys: the foreground window, or its nearest listed owner. */
function activeOf(user32: Libraries["user32"], listed: readonly bigint[]): bigint {
  let window = user32.GetForegroundWindow();
  while (window && !listed.includes(window)) window = user32.GetWindow(window, GW_OWNER);
  return window;
}
