/** Parts with a connection of their own, which is opened when it is first needed. */

import { BackgroundConnection } from "./background_connection.ts";

/** Makes it at the first use, and again when its connection is broken. */
export class OnDemand<T> {
  #background: BackgroundConnection | undefined;
  #made: T | undefined;

  /**
   * @param path Of the compositor's socket.
   * @param make Makes it over a new connection, which is closed if that fails.
   */
  constructor(readonly path: string, readonly make: (background: BackgroundConnection) => T) {}

  /** The part, as long as its connection works. */
  get present(): T | undefined {
    return this.#background?.isBroken ? undefined : this.#made;
  }

  /** @throws DesktopUnavailableError if the compositor is gone; what `make` throws. */
  get(): T {
    const { present } = this;
    if (present !== undefined) return present;
    this.close();
    const background = this.#background = BackgroundConnection.open(this.path);
    try {
      return this.#made = this.make(background);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Closes the connection; the next use opens another. */
  close(): void {
    this.#background?.close();
    this.#background = this.#made = undefined;
  }
}
