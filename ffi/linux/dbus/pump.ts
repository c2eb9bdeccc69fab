/** Hands out what arrives at a socket while this thread does something else: poll(2) waits off this thread. */

import { POLLIN, type Socket } from "../socket.ts";

const EFD_CLOEXEC = 0o2000000;

/** Runs while it is held. */
export class Pump {
  #holds = 0;
  /** An eventfd that ends the wait, while it runs. */
  #wake: number | undefined;
  #isClosed = false;

  /**
   * @param socket Closed with it, when no wait is in it any more.
   * @param onReadable Called when something may have arrived.
   */
  constructor(readonly socket: Socket, readonly onReadable: () => void) {}

  /**
   * Keeps it running.
   * @returns Ends that. Safe to call twice.
   */
  hold(): () => void {
    let isHeld = true;
    this.#holds++;
    if (this.#wake === undefined && !this.#isClosed) void this.#run();
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.#holds === 0) this.#end();
    };
  }

  /** Ends it and closes the socket. Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#wake === undefined) this.socket.close();
    else this.#end();
  }

  #end(): void {
    if (this.#wake !== undefined) this.socket.c.write(this.#wake, BigUint64Array.of(1n), 8n);
  }

  async #run(): Promise<void> {
    const wake = this.#wake = this.socket.c.eventfd(0, EFD_CLOEXEC);
    try {
      while (this.#holds && !this.#isClosed) {
        // struct pollfd: int fd, short events, short revents.
        const fds = Int32Array.of(this.socket.fd, POLLIN, wake, POLLIN);
        await this.socket.c.poll_waiting(fds, 2n, -1);
        if (fds[3] >> 16) this.socket.c.read(wake, new BigUint64Array(1), 8n);
        if (!this.#isClosed) this.onReadable();
      }
    } finally {
      this.#wake = undefined;
      this.socket.c.close(wake);
      if (this.#isClosed) this.socket.close();
    }
  }
}
