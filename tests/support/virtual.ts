/** Virtual desktops with a part that behaves differently, for tests. */

import type { ObservedAction, WatchListener } from "../../control/desktop/desktop.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";

/** A virtual desktop whose keyboard throws the error that `refuse` returns for a key. */
export function refusingKeys(refuse: (key: string, down: boolean) => Error | undefined): VirtualDesktop {
  const desktop = new VirtualDesktop(), { keyboard } = desktop;
  const key = keyboard.key.bind(keyboard);
  keyboard.key = (name, down) => {
    const error = refuse(name, down);
    return error ? Promise.reject(error) : key(name, down);
  };
  return desktop;
}

/** A virtual desktop whose listeners a test can call, as a person's input does. */
export class WatchedDesktop extends VirtualDesktop {
  readonly listeners = new Set<WatchListener>();

  constructor() {
    super();
    const watch = this.observer.watch.bind(this.observer);
    this.observer.watch = async (listener) => {
      this.listeners.add(listener);
      const { close } = await watch(listener);
      return {
        close: () => {
          this.listeners.delete(listener);
          return close();
        },
      };
    };
  }

  /** Reports an action of a person. */
  person(action: ObservedAction["action"], at = 0): void {
    for (const listener of this.listeners) listener.actions([{ action, at, injected: false }]);
  }
}
