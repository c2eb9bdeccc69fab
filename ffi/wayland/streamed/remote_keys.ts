/** Presses keys of a desktop that takes input over its bus. */

import { BusError } from "../../linux/dbus/errors.ts";
import type { RemoteInput } from "./remote_input.ts";

/** Keeps modifiers from overtaking keys on a desktop where an input method gets the keys first. */
export interface KeyOrder {
  /** Counts a press or release that is being sent. */
  count(): void;

  /** Resolves when a modifier may be sent: programs have the keys before it, or will have them first. Never rejects. */
  beforeModifier(): Promise<void>;
}

/** Sends keys one after the other, so that they arrive in the order in which they were pressed. */
export class RemoteKeys {
  #sent: Promise<void> = Promise.resolve();
  /** Codes whose press was sent, and whose release was not. */
  readonly #down = new Set<number>();

  /** @param order Left out where keys and modifiers keep their order. */
  constructor(readonly input: RemoteInput, readonly order?: KeyOrder) {}

  /**
   * Presses (`down`) or releases a key, after those before it. After a failure only the keys that may be down are sent:
   * their releases.
   * @param code As the kernel counts keys (linux/input-event-codes.h).
   * @param isModifier Whether it changes what other keys type: it is sent when programs have those before it.
   */
  press(code: number, down: boolean, isModifier = false): void {
    this.#sent = this.#sent.then(() => this.#send(code, down, isModifier), async (error) => {
      // A service that refuses has ended the session, and with it what is pressed; another failure is a late answer.
      const isStuck = !down && this.#down.has(code) && !(error instanceof BusError);
      if (isStuck) await this.#send(code, false, isModifier).catch(() => {});
      throw error;
    });
    this.#sent.catch(() => {}); // `flush` rejects
  }

  /** Resolves when the desktop has taken all keys; rejects with the first failure since the last time. */
  async flush(): Promise<void> {
    const sent = this.#sent;
    this.#sent = sent.catch(() => {}); // keys that are pressed before the answer wait their turn
    await sent;
  }

  async #send(code: number, down: boolean, isModifier: boolean): Promise<void> {
    if (isModifier) await this.order?.beforeModifier();
    this.order?.count();
    if (down) this.#down.add(code);
    else this.#down.delete(code);
    await this.input.key(code, down);
  }
}
