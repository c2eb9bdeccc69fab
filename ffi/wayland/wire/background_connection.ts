/** A connection whose events are handed out as they come: the loop waits in poll(2) off this thread. */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import { compositorGone, Connection } from "./connection.ts";
import { Registry } from "./registry.ts";
import { POLLIN } from "../../linux/socket.ts";

/** A connection with its loop running. */
export class BackgroundConnection {
  readonly #wake: number;
  #isClosed = false;

  private constructor(readonly connection: Connection, readonly registry: Registry) {
    this.#wake = connection.c.eventfd(0, 0);
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

  /** Whether it can be used no more. */
  get isBroken(): boolean {
    return this.#isClosed || this.connection.isLost;
  }

  /** Ends the loop, which then closes the connection. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.connection.c.write(this.#wake, BigUint64Array.of(1n), 8n);
  }

  async #run(): Promise<void> {
    const { connection, connection: { c, socket } } = this;
    // struct pollfd: int fd, short events, short revents.
    const fds = Int32Array.of(socket.fd, POLLIN, this.#wake, POLLIN);
    try {
      while (!this.#isClosed) {
        connection.dispatch();
        await c.poll_waiting(fds, 2n, -1);
      }
    } catch (error) {
      // Each later call finds the connection lost.
      if (!(error instanceof DesktopUnavailableError)) throw error;
    } finally {
      this.#isClosed = true;
      connection.close();
      c.close(this.#wake);
    }
  }
}
