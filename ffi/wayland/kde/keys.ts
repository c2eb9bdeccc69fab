/** The keys of one connection to KWin (org_kde_kwin_fake_input). */

import type { Bus } from "../../linux/dbus/bus.ts";
import type { KeyPresser } from "../layout/text_typer.ts";
import { RemoteKeys } from "../streamed/remote_input.ts";
import type { Connection } from "../wire/connection.ts";
import type { Registry } from "../wire/registry.ts";
import { FcitxKeyOrder } from "./key_order.ts";
import { FAKE_INPUT, KEY_STATE } from "./protocol.ts";

/** The held keys of the one keyboard that KWin gives all programs: the person's keys and deskhand's. */
export class KwinKeys implements KeyPresser {
  /** The object for keys that lock; undefined if KWin does not report them. */
  readonly #keyState: number | undefined;
  #isCapsLocked = false;
  readonly #order: FcitxKeyOrder;
  /** Keys that are sent one after the other, as far as Fcitx 5 has the earlier ones. */
  readonly #queue: RemoteKeys;
  /** The number of presses and releases that went into the queue, and whether some may still be there. */
  #queued = 0;
  #isQueued = false;

  /**
   * @param fakeInput The connection's object of org_kde_kwin_fake_input, authenticated.
   * @param bus The session's.
   */
  constructor(readonly connection: Connection, registry: Registry, readonly fakeInput: number, bus: Bus) {
    const order = this.#order = new FcitxKeyOrder(bus, () => connection.roundtrip());
    this.#queue = new RemoteKeys({ key: (code, down) => Promise.try(() => this.#send(code, down)) }, {
      order,
    });
    const [global] = registry.all(KEY_STATE.name);
    this.#keyState = global && registry.bind(global, 1, (opcode, args) => {
      if (opcode !== KEY_STATE.stateChanged || args.uint() !== KEY_STATE.capsLock) return;
      this.#isCapsLocked = args.uint() === KEY_STATE.locked;
    });
  }

  /** Sends a press or release before it returns, unless Fcitx 5 runs. */
  press(code: number, down: boolean, isModifier?: boolean): void {
    if (!this.#isQueued && !this.#order.isNeeded) return this.#send(code, down);
    this.#queued++;
    this.#isQueued = true;
    this.#queue.press(code, down, isModifier);
  }

  async flush(): Promise<void> {
    const queued = this.#queued;
    try {
      await this.#queue.flush();
    } finally {
      if (this.#queued === queued) this.#isQueued = false;
    }
    this.connection.roundtrip();
  }

  async isCapsLocked(): Promise<boolean> {
    if (this.#keyState === undefined) return false;
    this.connection.request(this.#keyState, KEY_STATE.fetchStates);
    await this.flush();
    return this.#isCapsLocked;
  }

  #send(code: number, down: boolean): void {
    this.connection.request(this.fakeInput, FAKE_INPUT.keyboardKey, code, down ? 1 : 0);
  }
}
