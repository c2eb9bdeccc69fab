/** Events of a virtual desktop: a log, and the listeners. */

import type {
  InputAction,
  LoggedAction,
  ObservedAction,
  Observer,
  Watch,
  WatchListener,
} from "../../control/desktop/desktop.ts";

/** Actions that the log keeps; older ones are dropped. */
const LOG_LIMIT = 10_000;

/** Logs actions and reports them to listeners. */
export class VirtualObserver implements Observer {
  readonly #log: LoggedAction[] = [];
  readonly #listeners = new Set<WatchListener>();

  /** The actions so far, oldest first. */
  get log(): readonly LoggedAction[] {
    return this.#log;
  }

  watch(listener: WatchListener): Promise<Watch> {
    this.#listeners.add(listener);
    return Promise.resolve({
      close: () => {
        this.#listeners.delete(listener);
        return Promise.resolve();
      },
    });
  }

  /** Adds an entry to the log. */
  append(action: LoggedAction): void {
    this.#log.push(action);
    if (this.#log.length > LOG_LIMIT) this.#log.shift();
  }

  /** Reports an action to the listeners. */
  report(action: InputAction): void {
    if (!this.#listeners.size) return;
    const seen: ObservedAction = { action, at: performance.timeOrigin + performance.now(), injected: true };
    for (const listener of this.#listeners) listener.actions([seen]);
  }

  /** Ends every watch. */
  close(): void {
    this.#listeners.clear();
  }
}
