/** A connection whose events are handed out as they come. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { compositorGone, Connection } from "./connection.ts";
import { Registry } from "./registry.ts";
import { Poller } from "../../linux/poller.ts";

/** A connection with its loop running. */
export class BackgroundConnection {
  readonly #poller: Poller;

  private constructor(readonly connection: Connection, readonly registry: Registry) {
    this.#poller = new Poller(connection.c, () => [connection.socket.fd]);
    void this.#run();
  }

  /**
   * Connects.
   * @param path Of the compositor's socket.
   * @throws DesktopUnavailableError if no compositor is there.
   */
  static open(path: string): BackgroundConnection {
    return Connection.openFor(path, (one) => new BackgroundConnection(one, new Registry(one))) ??
      compositorGone(path);
  }

  /** Tells whether it can be used no more. */
  get isBroken(): boolean {
    return this.#poller.isStopped || this.connection.isLost;
  }

  /** Ends the loop, which then closes the connection. Safe to call twice. */
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
      connection.close();
    }
  }
}
