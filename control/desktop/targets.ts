/** The windows that input goes to, as a part of a desktop; `desktop.ts` joins the parts. */

import { ForbiddenError } from "../../core/errors.ts";
import type { Point, Region } from "./input.ts";
import type { WindowInfo } from "./windows.ts";

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
