/** Reservations of a desktop for long work, such as a replay; other actions are refused during them. */

import { StateError } from "../core/errors.ts";

/** Keeps every other action out until it ends. */
export interface Reservation {
  /** Resolves when no other action runs any more and the keyboard map is as it was. */
  begun: Promise<void>;
  /** Lets other actions run again. Safe to call twice. */
  end(): void;
}

/** The reservations of one desktop, one at a time. */
export class Reservations {
  /** The message that refused callers read; undefined while the desktop is free. */
  #reason: string | undefined;

  /** Tells whether the desktop is reserved. */
  get isTaken(): boolean {
    return this.#reason !== undefined;
  }

  /** @throws StateError with the reason while the desktop is reserved. */
  check(): void {
    if (this.#reason !== undefined) throw new StateError(this.#reason);
  }

  /**
   * Reserves the desktop.
   * @param reason The message that refused callers read, with how to end the reservation.
   * @param begin Waits for the actions that came before.
   * @throws StateError if the desktop is reserved already.
   */
  take(reason: string, begin: () => Promise<void>): Reservation {
    this.check();
    this.#reason = reason;
    let isReserved = true;
    return {
      begun: begin(),
      end: () => {
        if (isReserved) this.#reason = undefined;
        isReserved = false;
      },
    };
  }
}
