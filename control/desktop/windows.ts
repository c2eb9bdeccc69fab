/** The windows as a part of a desktop; `desktop.ts` joins the parts. */

import type { Region } from "./input.ts";

/** States of a window. */
export const WINDOW_STATES = ["normal", "minimized", "maximized", "fullscreen"] as const;
/** One of {@linkcode WINDOW_STATES}. */
export type WindowState = typeof WINDOW_STATES[number];

/**
 * One window of a program. Its region is the visible part, with the frame and without the shadow; the size is 0 if
 * the system does not tell where windows are.
 */
export interface WindowInfo extends Region {
  /** The system's number for the window as hexadecimal digits after `0x`; stays the same while the window exists. */
  id: string;
  title: string;
  /** The class that the program gave the window, such as `xterm`. */
  class: string;
  /** The program's process, where the system says. */
  pid?: number;
  state: WindowState;
  /** Whether the window is on a workspace that is not shown; left out if it is not. */
  elsewhere?: boolean;
  /** Whether keys go to the window. */
  active: boolean;
}

/** Whether a window is on the screen, though others may cover it. */
export function isShown({ state, elsewhere }: Pick<WindowInfo, "state" | "elsewhere">): boolean {
  return state !== "minimized" && !elsewhere;
}

/** A change of a window. */
export type WindowChange =
  | { to: "active" | WindowState | "closed" }
  | { to: "placed"; region: Partial<Region> };

/** The windows of a desktop. */
export interface Windows {
  /** True where windows are listed and no change of one is possible. */
  readonly isListOnly?: boolean;

  /**
   * Whether the list may lack windows or their places, since the system does not report all; left out for a
   * complete list.
   */
  readonly isPartial?: boolean;

  /** Every window that a person can switch to, the front one first. */
  list(): Promise<WindowInfo[]>;

  /**
   * Asks for a change and returns before it is done; {@linkcode list} shows when it is. It never waits for the
   * window's program.
   * @param window The window, as last listed.
   * @throws StateError with the reason if the change cannot be made here.
   */
  change(window: WindowInfo, change: WindowChange): Promise<void>;

  /**
   * Whether all requested changes have been handled, with or without success. It never waits. Left out if
   * {@linkcode change} returns only when a change was handled.
   */
  isHandled?(): boolean;

  /**
   * Waits until the window manager has handled the presses of buttons so far: it may give another window the keyboard.
   * Left out where a press has done so when it was sent.
   * @param ms The longest wait, in milliseconds.
   */
  pressHandled?(ms: number): Promise<void>;

  /**
   * Waits until a window's program has handled the input that was sent so far. Left out where no program can be
   * asked.
   * @param ms The longest wait, in milliseconds.
   * @returns false if the program has not handled it by then; undefined if this program cannot be asked.
   */
  hasHandled?(window: WindowInfo, ms: number): Promise<boolean | undefined>;

  /**
   * Begins to watch for changes of the active window; left out where only {@linkcode list} shows them.
   * @returns undefined if nothing reports them at present, as without a window manager.
   * @throws DesktopUnavailableError if the desktop is gone.
   */
  watchActive?(): ActiveWatch | undefined;
}

/** A watch for changes of the active window. `using` ends it. */
export interface ActiveWatch extends Disposable {
  /**
   * Waits for a change since the last call, or since the beginning.
   * @param ms The longest wait, in milliseconds.
   * @returns Whether there was a change.
   */
  changed(ms: number): Promise<boolean>;
}
