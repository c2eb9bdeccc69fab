/** Limits how many tasks of a kind run at once. */

import { BusyError } from "./errors.ts";

/** A number of places; each caller takes one and gives it back by disposing of its lease. */
export class Capacity {
  #taken = 0;

  /**
   * @param limit How many leases may be held at once.
   * @param message The message for a caller when all places are taken, such as `64 clients are waiting already`.
   */
  constructor(readonly limit: number, readonly message: string) {}

  /** The number of leases that are held now. */
  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes a place.
   * @returns A lease; disposing of it twice gives back one place only.
   * @throws BusyError if every place is taken.
   * @example
   * using _lease = capacity.enter();
   */
  enter(): Disposable {
    if (this.#taken >= this.limit) throw new BusyError(this.message);
    this.#taken++;
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#taken--;
        held = false;
      },
    };
  }
}
