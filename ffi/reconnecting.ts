/**
 * Connections: one that is closed if what is made from it fails, and one to a display server that is reopened
 * when the server comes back; and how long a server may take.
 */

import { DesktopUnavailableError } from "../core/errors.ts";

/**
 * Makes something from a connection or the like, and closes the latter if that fails.
 * @param make Makes it, or a promise of it.
 * @throws The errors of `make`.
 */
export function closedOnFailure<Held extends { close(): void }, Made>(
  held: Held,
  make: (held: Held) => Made,
): Made {
  const failed = (error: unknown): never => {
    held.close();
    throw error;
  };
  try {
    const made = make(held);
    return made instanceof Promise ? made.catch(failed) as Made : made;
  } catch (error) {
    return failed(error);
  }
}

/** Waits for a server that may hang, in milliseconds. */
export const SERVER_WAITS = {
  /** Maximum wait that blocks the thread. */
  quick: 20,
  /** Maximum wait. */
  answer: 5000,
  /** Maximum wait during cleanup: even a busy server gets back what is held. */
  end: 2000,
  /** Maximum age of an answer for the server to count as responsive. */
  fresh: 1,
} as const;

/** Minimum time between two attempts to reconnect, in milliseconds. */
const RETRY_MS = 250;

/** A desktop that ends with its connection. */
interface Connected {
  readonly connection: { readonly isLost: boolean };
  /** Frees everything, whether or not the server is still running. */
  close(): void;
}

/** Holds an object that works over a connection, and replaces it when the connection is lost. */
export class Reconnecting<T extends Connected> {
  #present: T | undefined;
  #triedAt = -Infinity;
  #again: Promise<void> | undefined;

  /**
   * @param first The object over the current connection.
   * @param open Reconnects; returns undefined while there is no server.
   * @param gone The error message while there is no server.
   */
  constructor(
    first: T,
    readonly open: () => T | undefined,
    readonly gone: string,
  ) {
    this.#present = first;
  }

  /**
   * Returns the object over the current connection; reconnects if the connection is lost.
   * @throws DesktopUnavailableError while there is no server; the errors of `open`.
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

  /** The object over the current connection, which may be lost; undefined while there is none. */
  get present(): T | undefined {
    return this.#present;
  }

  /** Whether {@linkcode get} would reconnect now, or {@linkcode again} is reconnecting. */
  isLost(): boolean {
    const isDue = this.#again !== undefined || performance.now() - this.#triedAt >= RETRY_MS;
    return isDue && this.#present?.connection.isLost !== false;
  }

  /**
   * Reconnects without blocking the thread, if the connection is lost; callers share one attempt.
   * @param open Connects like the function of the constructor, but without blocking the thread.
   * @throws The errors of {@linkcode get} and of `open`.
   */
  async again(open: () => Promise<T | undefined>): Promise<void> {
    await (this.#again ??= this.#openAside(open).finally(() => this.#again = undefined));
    this.get();
  }

  /** Stops reconnecting, since the program is ending. */
  stay(): void {
    this.#triedAt = Infinity;
  }

  /** Frees everything and never reconnects. */
  close(): void {
    this.#present?.close();
    this.#present = undefined;
    this.#triedAt = Infinity;
  }

  async #openAside(open: () => Promise<T | undefined>): Promise<void> {
    if (this.#present?.connection.isLost === false) return;
    this.#present?.close();
    this.#present = undefined;
    try {
      const opened = await open();
      if (this.#triedAt === Infinity) opened?.close();
      else this.#present = opened;
    } finally {
      this.#triedAt = Math.max(this.#triedAt, performance.now());
    }
  }

  #tryAgain(): void {
    const now = performance.now();
    if (now - this.#triedAt < RETRY_MS) return;
    this.#triedAt = now;
    this.#present = this.open();
  }
}
