/** The windows as a part of a desktop, and those that input goes to; `desktop.ts` joins the parts. */

import { ForbiddenError } from "../../core/errors.ts";
import type { Point, Region } from "./input.ts";

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

export type WindowChange =
  | { to: "active" | WindowState | "closed" }
  | { to: "placed"; region: Partial<Region> };

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
   * Finds the dialog that a window waits for: until it is answered, the program ignores presses in the window. Left out where
   * the desktop does not tell.
   * @param windows All windows, as last listed.
   * @returns The last of several dialogs that wait for each other; undefined if none is known.
   */
  dialogOver?(
    window: WindowInfo,
    windows: readonly WindowInfo[],
  ): Promise<Pick<WindowInfo, "id" | "title"> | undefined>;

  /**
   * Begins to watch for changes of the active window; left out where only {@linkcode list} shows them.
   * @param instead Called with each window that becomes active; returns the window to activate in its place, which the
   *   window manager is asked for at once.
   * @returns undefined if nothing reports them at present, as without a window manager.
   * @throws DesktopUnavailableError if the desktop is gone.
   */
  watchActive?(instead?: (active: ActiveWindow) => WindowInfo | undefined): ActiveWatch | undefined;
}

/** A window that became active. */
export interface ActiveWindow extends Pick<WindowInfo, "id" | "title" | "class" | "pid"> {
  /** The time of the change by the clock of the display server, in milliseconds. */
  at: number;
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

/** A window that receives input. */
export interface Target {
  title: string;
  /** The class that the program gave the window; "" where it has none. */
  class: string;
  /** The program's process, where the system says. */
  pid?: number;
  /** Whether it is the desktop's own background, which belongs to no program. */
  isDesktop?: boolean;
}

/** The device whose input a target receives: a button or the wheel goes to the window at a place, a key to the focus. */
export type InputKind = "pointer" | "keyboard";

/**
 * Judges a target before input is sent to it.
 * @param target undefined where the desktop does not say which window receives the input.
 * @param sends Whether the input follows at once.
 * @throws The reason if the present caller may not act there.
 */
export type Judge = (target: Target | undefined, sends: boolean) => void;

/** A refusal of input that was not sent: nothing is released afterwards. */
export class UnsentError extends ForbiddenError {
  override name = "UnsentError";
}

/** A window at its place, in words of the back end: equal texts are the same window, unmoved. */
export type Receiver = string;

/** A window that gets presses and is in no list, such as a menu. */
export interface Popup extends Region {
  receiver: Receiver;
}

/** The targets of a desktop's input. */
export interface Targets {
  /**
   * The windows of which one must get the next press or turn of the wheel, which clears them. A back end that has receivers
   * compares just before the press, so that the windows cannot change in between, and throws ChangedError instead of a press
   * on another window.
   */
  expected?: readonly Receiver[] | undefined;
  /** The receiver that a listed window is, as the list showed it; undefined if it is not listed any more. */
  receiver?(window: WindowInfo): Receiver | undefined;
  /** The windows that get presses and are in no list. A back end that has receivers has them. */
  popups?(): Promise<readonly Popup[]>;
  /** Whether expected and judged presses go past the window manager, which then does not activate the window that gets one. */
  readonly isPastManager?: boolean;
  /**
   * Activates a listed window without judgement, as its manager would at a press; left out where no press goes past the
   * manager.
   * @throws StateError with the reason if the manager activates no windows.
   */
  activate?(window: WindowInfo): Promise<void>;
  /**
   * The judge of the input that is sent now; it returns undefined for a caller that may act everywhere. While this is left
   * out, no target is looked up. A back end that has targets calls the judge before each press, so that the windows cannot
   * change between the judgement and the press.
   */
  judge?: () => Judge | undefined;
  /**
   * Judges a target without sending input.
   * @param point The place; the pointer's own if left out.
   * @throws What the judge throws.
   */
  check(kind: InputKind, point?: Point): Promise<void>;
}
