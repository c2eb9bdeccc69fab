/** Presses keys of a desktop that takes input over its bus. */

import type { RemoteInput } from "./remote_input.ts";

/** Sends keys one after the other, so that they arrive in the order in which they were pressed. */
export class RemoteKeys {
  #sent: Promise<void> = Promise.resolve();

  constructor(readonly input: RemoteInput) {}

  /**
   * Presses (`down`) or releases a key, after those before it.
   * @param code As the kernel counts keys (linux/input-event-codes.h).
   */
  press(code: number, down: boolean): void {
    this.#sent = this.#sent.then(() => this.input.key(code, down));
    this.#sent.catch(() => {}); // `flush` rejects
  }

  /** Resolves when the desktop has taken all keys; rejects with the first failure since the last time. */
  async flush(): Promise<void> {
    const sent = this.#sent;
    this.#sent = Promise.resolve();
    await sent;
  }
}
