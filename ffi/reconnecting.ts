/** A connection to a display server that is opened again after the server's return. */

import { DesktopUnavailableError } from "../core/errors.ts";

/** Between two tries to connect again, in milliseconds. */
const RETRY_MS = 250;

/** A desktop that ends with its connection. */
interface Connected {
  readonly connection: { readonly isLost: boolean };
  /** Frees everything, whether the server is still there or not. */
  close(): void;
}

/** Keeps what works over a connection, as long as that is there. */
export class Reconnecting<T extends Connected> {
  #present: T | undefined;
  #triedAt = -Infinity;
  /** Tells whether it is being opened. */
  #isOpening = false;
  /** Why the last opening that took a while failed; the next call throws it. */
  #failure: { error: unknown } | undefined;

  /**
   * @param first What works now.
   * @param open Connects again; gives undefined while there is no server. Where it gives a promise, nothing works until
   *   that has resolved.
   * @param gone The message while there is none.
   */
  constructor(
    first: T,
    readonly open: () => T | undefined | Promise<T | undefined>,
    readonly gone: string,
  ) {
    this.#present = first;
  }

  /** The last desktop, unless it was found to be lost. */
  get last(): T | undefined {
    return this.#present;
  }

  /**
   * Gives the desktop that works now; connects again if the connection is lost.
   * @throws DesktopUnavailableError while there is no server; what `open` throws.
   */
  get(): T {
    if (this.#present?.connection.isLost) {
      this.#present.close();
      this.#present = undefined;
    }
    if (this.#present) return this.#present;
    this.#tryAgain();
    if (this.#present) return this.#present;
    throw new DesktopUnavailableError(this.gone);
  }

  /** Frees everything; it does not connect again. */
  close(): void {
    this.#present?.close();
    this.#present = undefined;
    this.#triedAt = Infinity;
  }

  #tryAgain(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) throw failure.error;
    const now = performance.now();
    if (this.#isOpening || now - this.#triedAt < RETRY_MS) return;
    this.#triedAt = now;
    const opened = this.open();
    if (opened instanceof Promise) void this.#take(opened);
    else this.#present = opened;
  }

  /** Takes what is being opened when it is there. */
  async #take(opening: Promise<T | undefined>): Promise<void> {
    this.#isOpening = true;
    try {
      const opened = await opening;
      if (this.#triedAt === Infinity) opened?.close(); // it was closed during the opening
      else this.#present = opened;
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#isOpening = false;
      this.#triedAt = Math.max(this.#triedAt, performance.now());
    }
  }
}
