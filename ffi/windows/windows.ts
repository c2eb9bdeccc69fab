/**
 * Changing the windows of Windows. Every request is posted, so that a program that does not react blocks nothing here.
 * Windows lets only some programs bring a window to the front (see the remarks of SetForegroundWindow), and its calls
 * report success either way, so the window in front is read afterwards.
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
import { until } from "../../core/until.ts";
import { type InputSender, NO_INPUT } from "./input.ts";
import type { Libraries } from "./symbols.ts";
import { outerFor, WindowList } from "./window_list.ts";

/** ShowWindowAsync. */
const SHOW = { maximized: 3, minimized: 6, restored: 9 } as const;
/** SetWindowPos: SWP_NOZORDER, SWP_NOACTIVATE, SWP_ASYNCWINDOWPOS. */
const PLACE = 0x4 | 0x10 | 0x4000;
const WM_CLOSE = 0x10;
/** The time that a window may take to become normal before it is placed, and between two looks, in milliseconds. */
const NORMAL_MS = 1000, LOOK_MS = 5;
/** The time after which a window that became normal has its bounds at the latest, in milliseconds. */
const SETTLE_MS = 50;

/** The windows of the desktop that this process belongs to. */
export class DesktopWindows implements Windows, Disposable {
  readonly #list: WindowList;

  /** @param sender Sends input, and knows which programs may be reached. */
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

  [Symbol.dispose](): void {
    this.#list[Symbol.dispose]();
  }

  /** @throws StateError if the window does not come to the front, or waits for a dialog, which is activated instead. */
  async #activate(window: bigint): Promise<void> {
    const { user32 } = this.libraries;
    if (user32.IsIconic(window)) user32.ShowWindowAsync(window, SHOW.restored);
    const dialog = user32.IsWindowEnabled(window) ? window : user32.GetLastActivePopup(window);
    await bringToFront(this.libraries, this.sender, dialog);
    if (dialog === window) return;
    const title = JSON.stringify(this.#list.title(dialog));
    throw new StateError(`the window is waiting for its dialog 0x${dialog.toString(16)} titled ${title}`);
  }

  /**
   * Restores a window that is minimized or maximized: bounds that are not given stay as they were. A window that was
   * maximized before it was minimized takes two steps.
   * @throws StateError if the window's program does not react.
   */
  async #makeNormal(window: bigint): Promise<void> {
    let state: WindowState = "normal", asked: WindowState = "normal";
    const isNormal = await until(() => {
      state = this.#list.state(window);
      if (state === "normal") return true;
      if (state !== asked) this.libraries.user32.ShowWindowAsync(window, SHOW.restored);
      asked = state;
      return false;
    }, { ms: NORMAL_MS, every: LOOK_MS });
    if (!isNormal) throw new StateError(`the window is still ${state}: its program is not responding`);
    if (asked !== "normal") await delay(SETTLE_MS);
  }

  /** Sets the bounds that a person sees; bounds that are left out do not change. */
  #place(window: bigint, wanted: Partial<Region>): void {
    const { bounds } = this.#list;
    const outer = bounds.outer(window), visible = bounds.visible(window);
    if (!outer || !visible) return; // the window is gone
    const { x, y, width, height } = outerFor({ ...visible, ...wanted }, outer, visible);
    this.libraries.user32.SetWindowPos(window, 0n, x, y, width, height, PLACE);
  }
}

// Whether programs react.

const WM_NULL = 0;
const SMTO_ABORTIFHUNG = 2;

/**
 * Whether the program of a window answers a message without effect (SendMessageTimeoutW), without blocking this
 * thread.
 * @param ms How long the program may take, in milliseconds.
 */
export async function isResponsive(
  user32: Libraries["user32"],
  window: bigint,
  ms: number,
): Promise<boolean> {
  return await user32.SendMessageTimeoutW(window, WM_NULL, 0n, 0n, SMTO_ABORTIFHUNG, ms, null) !== 0n;
}

/** The time that a window may take to come to the front, and between two looks, in milliseconds. */
const FRONT_MS = 500;
/** The time that a program may take to answer before it counts as one that does not react, in milliseconds. */
const ANSWER_MS = 200;
/** SetWindowPos: SWP_NOSIZE, SWP_NOMOVE, SWP_NOACTIVATE, SWP_ASYNCWINDOWPOS; HWND_TOP. */
const RAISE = 0x1 | 0x2 | 0x10 | 0x4000;
const HWND_TOP = 0n;

/**
 * Brings a window to the front and gives it the keyboard.
 * @param sender Sends the input that makes Windows allow the activation.
 * @throws StateError with the reason if the window does not come to the front; DesktopUnavailableError if Windows takes
 *   no input, as on a locked screen.
 */
export async function bringToFront(
  libraries: Libraries,
  sender: InputSender,
  window: bigint,
): Promise<void> {
  const { user32 } = libraries;
  // The program that had the last input may choose the window in front; this input has no other effect.
  sender.send([NO_INPUT]);
  raise(user32, window);
  if (await comesToFront(user32, window)) return;
  if (!await isResponsive(user32, window, ANSWER_MS)) {
    throw new StateError("cannot bring the window to the front: its program is not responding");
  }
  const front = user32.GetForegroundWindow();
  // Sharing input with a program that does not react would block this one too.
  if (!front || await isResponsive(user32, front, ANSWER_MS)) {
    raiseAsOneOf(libraries, front, window);
    if (await comesToFront(user32, window)) return;
  }
  const refusal = sender.guard.refusal(front),
    reason = refusal ? `: the window in front keeps it, and ${refusal}` : "";
  throw new StateError(`Windows did not let the window come to the front${reason}`);
}

/** Windows raises a window that it puts in front; Wine leaves that to a window manager, which may be missing. */
function raise(user32: Libraries["user32"], window: bigint): void {
  user32.SetWindowPos(window, HWND_TOP, 0, 0, 0, 0, RAISE);
  user32.SetForegroundWindow(window);
}

/** Raises a window with the rights of the program in front: both threads share their input during that. */
function raiseAsOneOf({ user32, kernel32 }: Libraries, front: bigint, window: bigint): void {
  const own = kernel32.GetCurrentThreadId(), other = user32.GetWindowThreadProcessId(front, null);
  const isShared = other !== 0 && other !== own && user32.AttachThreadInput(own, other, 1) !== 0;
  try {
    raise(user32, window);
  } finally {
    if (isShared) user32.AttachThreadInput(own, other, 0);
  }
}

/**
 * Waits until a window is in front, or gone: the caller then finds it missing from the list. The window's own thread
 * raises it, before it answers; a raise that came later would put the window over one that was activated since.
 */
async function comesToFront(user32: Libraries["user32"], window: bigint): Promise<boolean> {
  const isInFront = () => user32.GetForegroundWindow() === window || !user32.IsWindow(window);
  if (!await until(isInFront, { ms: FRONT_MS, every: LOOK_MS })) return false;
  await isResponsive(user32, window, ANSWER_MS);
  return true;
}
