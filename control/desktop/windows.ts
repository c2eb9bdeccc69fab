/** The windows part of a desktop, and the windows that receive input; `desktop.ts` joins the parts. */

import { ForbiddenError } from "../../core/errors.ts";
import type { Point, Region } from "./input.ts";

export const WINDOW_STATES = ["normal", "minimized", "maximized", "fullscreen"] as const;
/** One of {@linkcode WINDOW_STATES}. */
export type WindowState = typeof WINDOW_STATES[number];

/**
 * One window of a program. Its region is the visible part, with the frame but without the shadow; the size is
 * 0 if the system does not report window positions.
 */
export interface WindowInfo extends Region {
  /** The system's number for the window, as `0x` and hexadecimal digits; constant while the window exists. */
  id: string;
  title: string;
  /** The window class set by the program, such as `xterm`. */
  class: string;
  /** The program's process, if the system reports it. */
  pid?: number;
  state: WindowState;
  /** Whether the window is on a hidden workspace; left out if it is not. */
  elsewhere?: boolean;
  /** Whether the window has the keyboard focus. */
  active: boolean;
}

/** Whether a window is on the screen, although others may cover it. */
export function isShown({ state, elsewhere }: Pick<WindowInfo, "state" | "elsewhere">): boolean {
  return state !== "minimized" && !elsewhere;
}

export type WindowChange =
  | { to: "active" | WindowState | "closed" }
  | { to: "placed"; region: Partial<Region> };

export interface Windows {
  /** Whether windows are only listed and cannot be changed. */
  readonly isListOnly?: boolean;

  /**
   * Whether the list may lack windows or their positions because the system does not report all; left out for
   * a complete list.
   */
  readonly isPartial?: boolean;

  /** Lists every window that a person can switch to, the front one first. */
  list(): Promise<WindowInfo[]>;

  /**
   * Whether the windows are certainly still as in a list that {@linkcode list} returned, which takes less work
   * than another list. Left out where only a list shows it.
   */
  isSame?(listed: readonly WindowInfo[]): Promise<boolean>;

  /**
   * Requests a change and returns before it is done; {@linkcode list} shows when it is. Never waits for the
   * window's program.
   * @param window The window, as last listed.
   * @throws StateError with the reason if the change is not possible here.
   */
  change(window: WindowInfo, change: WindowChange): Promise<void>;

  /**
   * Whether all requested changes have been handled, successfully or not. Never waits. Left out if
   * {@linkcode change} returns only once a change is handled.
   */
  isHandled?(): boolean;

  /**
   * Waits until the window manager has handled all button presses so far: it may move the keyboard focus.
   * Left out where a press is already handled when the call returns.
   * @param ms Maximum wait, in milliseconds.
   */
  pressHandled?(ms: number): Promise<void>;

  /**
   * Waits until a window's program has handled all input sent so far. Left out where no program can be asked.
   * @param ms Maximum wait, in milliseconds.
   * @returns false if the program has not handled it in time; undefined if this program cannot be asked.
   */
  hasHandled?(window: WindowInfo, ms: number): Promise<boolean | undefined>;

  /**
   * Finds the dialog that a window waits for: until it is answered, the program ignores presses in the
   * window. Left out where the desktop does not know.
   * @param windows All windows, as last listed.
   * @returns The last of several dialogs that wait for each other; undefined if none is known.
   */
  dialogOver?(
    window: WindowInfo,
    windows: readonly WindowInfo[],
  ): Promise<Pick<WindowInfo, "id" | "title"> | undefined>;

  /**
   * Starts watching for changes of the active window; left out where only {@linkcode list} shows them.
   * @param instead Called with each window that becomes active; returns the window to activate in its place,
   * which is requested from the window manager immediately.
   * @returns undefined if nothing reports the changes at present, for example without a window manager.
   * @throws DesktopUnavailableError if the desktop is gone.
   */
  watchActive?(instead?: (active: ActiveWindow) => WindowInfo | undefined): ActiveWatch | undefined;
}

/** A window that became active. */
export interface ActiveWindow extends Pick<WindowInfo, "id" | "title" | "class" | "pid"> {
  /** Time of the change on the display server's clock, in milliseconds. */
  at: number;
}

/** A watch for active window changes. `using` ends it. */
export interface ActiveWatch extends Disposable {
  /**
   * Waits for a change since the last call, or since the start.
   * @param ms Maximum wait, in milliseconds.
   * @returns Whether there was a change.
   */
  changed(ms: number): Promise<boolean>;
}

/** A window that receives input. */
export interface Target {
  title: string;
  /** The window class set by the program; "" if it has none. */
  class: string;
  /** The program's process, if the system reports it. */
  pid?: number;
  /** Whether this is the desktop background, which belongs to no program. */
  isDesktop?: boolean;
}

/**
 * The device whose input a target receives: buttons and wheel go to the window at a place, keys to the focus.
 */
export type InputKind = "pointer" | "keyboard";

/**
 * Decides whether input may be sent to a target.
 * @param target undefined if the desktop does not report which window receives the input.
 * @param sends Whether the input follows immediately.
 * @throws The reason if the current caller may not act there.
 */
export type Judge = (target: Target | undefined, sends: boolean) => void;

/** A refusal of input that was not sent: nothing is released afterwards. */
export class UnsentError extends ForbiddenError {
  override name = "UnsentError";
}

/** A window at its place, in the back end's terms: equal texts are the same window, unmoved. */
export type Receiver = string;

/** A window that receives presses but is not listed, such as a menu. */
export interface Popup extends Region {
  receiver: Receiver;
}

/** The targets of a desktop's input. */
export interface Targets {
  /**
   * The windows of which one must receive the next press or wheel turn, after which the field is cleared. A
   * back end with receivers compares them just before the press, so that the windows cannot change in
   * between, and throws ChangedError instead of pressing on another window.
   */
  expected?: readonly Receiver[] | undefined;
  /**
   * The receiver of a window at the place where it was listed; undefined if the window is no longer listed.
   */
  receiver?(window: WindowInfo): Receiver | undefined;
  /** The unlisted windows that receive presses. Every back end with receivers implements it. */
  popups?(): Promise<readonly Popup[]>;
  /**
   * Whether a menu that has grabbed the pointer, and would thus take a press, is at the point or elsewhere;
   * undefined if none is open. Left out where that is unknown.
   */
  menuAt?(point: Point): Promise<"there" | "elsewhere" | undefined>;
  /**
   * Whether expected and judged presses bypass the window manager, which then does not activate the pressed
   * window.
   */
  readonly isPastManager?: boolean;
  /**
   * Activates a listed window without asking the judge, as its manager would on a press; left out where no
   * press bypasses the manager.
   * @throws StateError with the reason if the manager does not activate windows.
   */
  activate?(window: WindowInfo): Promise<void>;
  /**
   * Returns the judge of the input being sent; undefined for a caller that may act everywhere. While this is
   * left out, no target is looked up. A back end with targets calls the judge before each press, so that the
   * windows cannot change between the decision and the press.
   */
  judge?: () => Judge | undefined;
  /**
   * Asks the judge about a target without sending input.
   * @param point The place; the pointer position if left out.
   * @throws What the judge throws.
   */
  check(kind: InputKind, point?: Point): Promise<void>;
}
