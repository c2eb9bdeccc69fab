/**
 * Reports deskhand's own input to listeners, where no protocol reports the input of others: neither Wayland nor VNC has
 * one.
 */

import type { InputAction, ObservedAction, Point, WatchListener } from "../control/desktop/desktop.ts";
import { keyOfCharacter } from "./text.ts";

/** Listeners of one desktop. */
export class OwnActions {
  readonly #listeners = new Set<WatchListener>();
  /** The last move, also without listeners. */
  lastMove: { point: Point; at: number } | undefined;

  add(listener: WatchListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: WatchListener): void {
    this.#listeners.delete(listener);
  }

  /** Reports actions that were done just now. */
  report(...actions: InputAction[]): void {
    const at = performance.timeOrigin + performance.now();
    this.pass(actions.map((action): ObservedAction => ({ action, at, injected: true })));
  }

  /** Reports the actions of another thread. */
  pass(batch: ObservedAction[]): void {
    for (const { action, at } of batch) if (action.type === "move") this.lastMove = { point: action, at };
    for (const listener of this.#listeners) listener.actions(batch);
  }

  /** Reports a character of a text as the press and release of its key. */
  reportCharacter(codePoint: number): void {
    if (!this.#listeners.size) return;
    const key = keyOfCharacter(codePoint);
    this.report({ type: "key", key, down: true }, { type: "key", key, down: false });
  }
}
