/** Passes on messages that arrive at a socket while this thread does other work. */

import { Poller } from "../poller.ts";
import type { Socket } from "../socket.ts";

/** The pump of a bus's socket, which runs while a caller holds it. */
export class Pump {
  #holds = 0;
  #poller: Poller | undefined;
  #isClosed = false;

  /**
   * @param socket The pump closes it when the last wait has ended.
   * @param onReadable Called when data may have arrived.
   */
  constructor(readonly socket: Socket, readonly onReadable: () => void) {}

  /**
   * Keeps the pump running.
   * @returns A function that lets the pump end again; safe to call twice.
   */
  hold(): () => void {
    let isHeld = true;
    this.#holds++;
    if (!this.#poller && !this.#isClosed) void this.#run();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#holds === 0) this.#poller?.stop();
    };
  }

  /** Ends the pump and closes the socket. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#poller) this.#poller.stop();
    else this.socket.close();
  }

  async #run(): Promise<void> {
    const { c, fd } = this.socket;
    try {
      while (this.#holds && !this.#isClosed) { // a new hold may begin before the last loop has ended
        this.#poller = new Poller(c, () => [fd]);
        await this.#poller.run(this.onReadable);
      }
    } finally {
      this.#poller = undefined;
      if (this.#isClosed) this.socket.close();
    }
  }
}
