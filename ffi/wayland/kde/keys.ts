/** Presses keys over one connection to KWin (org_kde_kwin_fake_input), which derives the modifiers from them. */

import type { KeyPresser } from "../layout/key_presser.ts";
import type { Connection } from "../wire/connection.ts";
import type { Registry } from "../wire/registry.ts";
import { FAKE_INPUT, KEY_STATE } from "./protocol.ts";

/** KWin gives all programs one keyboard: the person's keys and these. */
export class KwinKeys implements KeyPresser {
  /** Undefined if KWin does not tell of keys that lock. */
  readonly #keyState: number | undefined;
  #isCapsLocked = false;

  /** @param fakeInput The connection's object of org_kde_kwin_fake_input, authenticated. */
  constructor(readonly connection: Connection, registry: Registry, readonly fakeInput: number) {
    const [global] = registry.all(KEY_STATE.name);
    this.#keyState = global && registry.bind(global, 1, (opcode, args) => {
      if (opcode !== KEY_STATE.stateChanged || args.uint() !== KEY_STATE.capsLock) return;
      this.#isCapsLocked = args.uint() === KEY_STATE.locked;
    });
  }

  press(code: number, down: boolean): void {
    this.connection.request(this.fakeInput, FAKE_INPUT.keyboardKey, code, down ? 1 : 0);
  }

  flush(): void {
    this.connection.roundtrip();
  }

  isCapsLocked(): boolean {
    if (this.#keyState === undefined) return false;
    this.connection.request(this.#keyState, KEY_STATE.fetchStates);
    this.connection.roundtrip();
    return this.#isCapsLocked;
  }
}
