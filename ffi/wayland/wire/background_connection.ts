/** A connection whose events are handled as they arrive, and a connection that is opened on first use. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { Poller } from "../../linux/libc.ts";
import { closedOnFailure } from "../../reconnecting.ts";
import { compositorGone, Connection, type Registry } from "./connection.ts";
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
  static async open(path: string): Promise<BackgroundConnection> {
    const make = (connection: Connection, registry: Registry) =>
      new BackgroundConnection(connection, registry, false);
    return await Connection.openFor(path, make) ?? compositorGone(path);
  }

  /** Handles the events of a shared connection, which stays open at the end. */
  static async over(link: Link): Promise<BackgroundConnection> {
    return new BackgroundConnection(link.connection, await link.registry(), true);
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
  /** The value that is being created, for all callers. */
  #making: Promise<T> | undefined;

  /**
   * @param path The path of the compositor's socket.
   * @param make Creates the object over a connection; a new one is closed if that fails.
   * @param link A connection to use while it works; new ones if omitted.
   */
  constructor(
    readonly path: string,
    readonly make: (background: BackgroundConnection) => T | Promise<T>,
    readonly link?: Link,
  ) {}

  /** The value, while its connection works. */
  get present(): T | undefined {
    return this.#background?.isBroken === false ? this.#made : undefined;
  }

  /** @throws DesktopUnavailableError if the compositor is gone; the errors of `make`. */
  async get(): Promise<T> {
    return this.present ?? await (this.#making ?? this.#begin());
  }

  /** Stops using the connection, and closes it if it is the value's own; the next use opens another. */
  close(): void {
    this.#background?.close();
    this.#background = this.#made = this.#making = undefined;
  }

  #begin(): Promise<T> {
    this.close();
    const making: Promise<T> = this.#open(() => this.#making === making).finally(() => {
      if (this.#making === making) this.#making = undefined;
    });
    return this.#making = making;
  }

  /** @param isWanted Returns whether nothing has been closed meanwhile. */
  async #open(isWanted: () => boolean): Promise<T> {
    const { link } = this, isUsed = link?.connection.isLost === false;
    const background =
      await (isUsed ? BackgroundConnection.over(link) : BackgroundConnection.open(this.path));
    return await closedOnFailure(background, async () => {
      if (!isWanted()) throw new DesktopUnavailableError("the connection to the compositor is closed");
      this.#background = background;
      const made = await this.make(background);
      if (this.#background === background) this.#made = made;
      return made;
    });
  }
}
