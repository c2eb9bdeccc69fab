/**
 * Changing the windows of Windows. Every request is posted, so that a program that does not react blocks nothing
 * here.
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
import { bringToFront } from "./activation.ts";
import type { Libraries } from "./symbols.ts";
import type { InputSender } from "./input.ts";
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
          "Windows does not let other programs set fullscreen; press the program's own key, often f11",
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
    if (!isNormal) throw new StateError(`the window is still ${state}: its program does not respond`);
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
