/** A connection whose events are handled as they arrive, and a connection that is opened on first use. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { Poller } from "../../linux/libc.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { compositorGone, Connection, Registry } from "./connection.ts";
import type { Link } from "./link.ts";

/** A connection with its loop running. */
export class BackgroundConnection {
  readonly #poller: Poller;

  private constructor(
    readonly connection: Connection,
    readonly registry: Registry,
    readonly isShared: boolean,
  ) {
    this.#poller = new Poller(connection.c, () => [connection.socket.fd]);
    void this.#run();
  }

  /**
   * Connects to the compositor.
   * @param path The path of the compositor's socket.
   * @throws DesktopUnavailableError if there is no compositor.
   */
  static open(path: string): BackgroundConnection {
    return Connection.openFor(path, (one) => new BackgroundConnection(one, new Registry(one), false)) ??
      compositorGone(path);
  }

  /** Handles the events of a shared connection, which stays open at the end. */
  static over({ connection, registry }: Link): BackgroundConnection {
    return new BackgroundConnection(connection, registry, true);
  }

  /** Whether the connection has ended and can no longer be used. */
  get isBroken(): boolean {
    return this.#poller.isStopped || this.connection.isLost;
  }

  /** Ends the loop, which then closes its own connection. Safe to call twice. */
  close(): void {
    this.#poller.stop();
  }

  async #run(): Promise<void> {
    const { connection } = this;
    try {
      connection.dispatch();
      await this.#poller.run(() => connection.dispatch());
    } catch (error) {
      // Each later call finds the connection lost.
      if (!(error instanceof DesktopUnavailableError)) throw error;
    } finally {
      this.#poller.stop();
      if (!this.isShared) connection.close();
    }
  }
}

/** Creates a value on first use, and again when its connection is broken. */
export class OnDemand<T> {
  #background: BackgroundConnection | undefined;
  #made: T | undefined;

  /**
   * @param path The path of the compositor's socket.
   * @param make Creates the object over a connection; a new one is closed if that fails.
   * @param link A connection to use while it works; new ones if omitted.
   */
  constructor(
    readonly path: string,
    readonly make: (background: BackgroundConnection) => T,
    readonly link?: Link,
  ) {}

  /** The value, while its connection works. */
  get present(): T | undefined {
    return this.#background?.isBroken ? undefined : this.#made;
  }

  /** @throws DesktopUnavailableError if the compositor is gone; the errors of `make`. */
  get(): T {
    const { present } = this;
    if (present !== undefined) return present;
    this.close();
    const { link } = this, isUsed = link?.connection.isLost === false;
    const background = this.#background = isUsed
      ? BackgroundConnection.over(link)
      : BackgroundConnection.open(this.path);
    return this.#made = closedOnFailure(this, () => this.make(background));
  }

  /** Stops using the connection, and closes it if it is the value's own; the next use opens another. */
  close(): void {
    this.#background?.close();
    this.#background = this.#made = undefined;
  }
}
