/**
 * Fcitx 5 as the input method that KWin passes the keys of focused text fields to. The keys come back to the program
 * later than a change of a modifier, which KWin tells programs at once (`InputMethod::key` and `Xkb::forwardModifiers`
 * of KWin 5.27), so that Ctrl+C would arrive as a plain c.
 */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { DAEMON } from "../../linux/dbus/objects.ts";
import { FCITX_SERVICE, fcitxHandled } from "../../linux/input_method/fcitx5.ts";
import type { KeyOrder } from "../streamed/remote_input.ts";

/** Holds a modifier back while Fcitx 5 has keys. */
export class FcitxKeyOrder implements KeyOrder {
  /** Tells whether Fcitx 5 runs; undefined before the first key. */
  #isThere: boolean | undefined;
  /** The number of presses and releases since programs have had all. */
  #unsettled = 0;

  /**
   * @param bus The session's.
   * @param roundtrip Returns when KWin has handled all requests.
   */
  constructor(readonly bus: Bus, readonly roundtrip: () => void) {}

  /** Tells whether Fcitx 5 runs. */
  get isNeeded(): boolean {
    try {
      this.bus.dispatch();
      return this.#isThere ??= this.#watch();
    } catch (error) {
      if (error instanceof DesktopUnavailableError) return false; // the bus is gone, and Fcitx 5 with it
      throw error;
    }
  }

  count(): void {
    this.#unsettled++;
  }

  async beforeModifier(): Promise<void> {
    if (!this.#unsettled) return;
    this.#unsettled = 0;
    if (!this.isNeeded) return;
    this.#passedOn();
    await fcitxHandled(this.bus);
    this.#passedOn();
  }

  /** Waits until KWin has passed on what it has read: its second answer comes after all that the first one saw. */
  #passedOn(): void {
    for (let i = 0; i < 2; i++) this.roundtrip();
  }

  #watch(): boolean {
    const change = { sender: DAEMON.destination, member: "NameOwnerChanged", arg0: FCITX_SERVICE };
    this.bus.listen(change, ({ values: [, , owner] }) => this.#isThere = owner !== "");
    return this.bus.owner(FCITX_SERVICE) !== undefined;
  }
}
