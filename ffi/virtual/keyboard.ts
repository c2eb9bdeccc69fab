/** The keyboard of a virtual desktop, which has a key for every character. */

import type { Keyboard } from "../../control/desktop.ts";
import { namedKey } from "../../control/keys.ts";
import { charactersOf, keyOfCharacter } from "../text.ts";
import type { VirtualScreen } from "./screen.ts";
import type { VirtualObserver } from "./watch.ts";

/** Characters that are typed before other work gets its turn. */
const TYPING_BATCH = 64;

/** Keys and text appear on the screen. */
export class VirtualKeyboard implements Keyboard {
  readonly #keysDown = new Set<string>();

  constructor(readonly screen: VirtualScreen, readonly observer: VirtualObserver) {}

  key(key: string, down: boolean): Promise<void> {
    if (down) {
      this.#keysDown.add(key);
      if (this.#keysDown.size === 1 && (key === "space" || !namedKey(key))) {
        this.screen.write(key === "space" ? " " : key);
      } else if (!namedKey(key)?.modifier) this.screen.write(`[${[...this.#keysDown].join("+")}]`);
    } else this.#keysDown.delete(key);
    const action = { type: "key", key, down } as const;
    this.observer.append(action);
    this.observer.report(action);
    return Promise.resolve();
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const characters = charactersOf(text);
    let typed = "";
    try {
      for (const code of characters) {
        signal?.throwIfAborted();
        const character = String.fromCodePoint(code), key = keyOfCharacter(code);
        this.screen.write(key === "enter" ? "\n" : character);
        typed += character;
        for (const down of [true, false]) this.observer.report({ type: "key", key, down });
        if (typed.length % TYPING_BATCH === 0) await new Promise((resolve) => setTimeout(resolve));
      }
    } finally {
      this.observer.append({ type: "text", text: typed });
    }
  }

  /** Does nothing, since there is no keyboard map. */
  restore(): Promise<void> {
    return Promise.resolve();
  }
}
