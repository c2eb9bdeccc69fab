/** Waits until a window manager has handled all requests. */

import { createOwnWindow, WINDOW_CLASS } from "./own_window.ts";
import type { WindowAtoms } from "./window_atoms.ts";
import type { WindowManager } from "./window_manager.ts";
import type { XcbConnection } from "./xcb_connection.ts";

/**
 * Questions asked after a request. A manager handles messages in order, so its answer to the first says that it has
 * handled the request. The X server's resulting events, such as that a window got the focus, are then in the
 * manager's queue before the second question.
 */
const QUESTIONS = 2;

/**
 * Asks a window manager for the frame of a window of deskhand's own (EWMH, _NET_REQUEST_FRAME_EXTENTS). The answer is
 * the sign that the manager has handled all earlier requests.
 */
export class ManagerFence {
  readonly #window: number;
  /** Questions that are still to be answered, and whether one is asked. */
  #left = 0;
  #isAsked = false;

  constructor(readonly xcb: XcbConnection, readonly atoms: WindowAtoms) {
    this.#window = createOwnWindow(xcb, WINDOW_CLASS.inputOutput);
  }

  /**
   * Begins to wait for all requests so far.
   * @param manager The manager; if it does not support the question, all requests count as handled.
   */
  raise(manager: WindowManager): void {
    if (!manager.supports.has(this.atoms._NET_REQUEST_FRAME_EXTENTS)) return;
    // The answer to an older question says nothing of the new request.
    this.#left = QUESTIONS + (this.#isAsked ? 1 : 0);
    if (!this.#isAsked) this.#ask();
  }

  /** Tells whether the manager has handled everything; asks on if it has answered. It never waits. */
  isPassed(): boolean {
    if (this.#left === 0) return true;
    if (!this.xcb.property(this.xcb.askProperty(this.#window, this.atoms._NET_FRAME_EXTENTS, 4, true))) {
      return false;
    }
    this.#isAsked = false;
    if (--this.#left > 0) this.#ask();
    return this.#left === 0;
  }

  #ask(): void {
    this.#isAsked = true;
    this.xcb.sendMessage(this.#window, this.atoms._NET_REQUEST_FRAME_EXTENTS, []);
  }
}
