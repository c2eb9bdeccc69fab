/** A loop that waits for descriptors in poll(2) off this thread, so that the thread does other work. */

import { type Libc, POLLIN } from "./libc.ts";

const EFD_CLOEXEC = 0o2000000;

/**
 * One loop, which ends for good.
 * @example
 * const poller = new Poller(c, () => [socket.fd]);
 * void poller.run(() => connection.dispatch());
 */
export class Poller {
  /** An eventfd that ends a wait, while the loop runs. */
  #wake: number | undefined;
  #isStopped = false;

  /**
   * @param fds Gives the descriptors of the next wait.
   * @param patience Gives the milliseconds after which the next wait ends in any case; -1 for none, the default.
   */
  constructor(
    readonly c: Libc,
    readonly fds: () => readonly number[],
    readonly patience: () => number = () => -1,
  ) {}

  /** Whether {@linkcode stop} was called. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /**
   * Runs the loop until it is stopped.
   * @param onReady Called after each wait: when a descriptor can be read, the patience is over, or a {@linkcode wake}.
   * @throws The errors of `onReady`, which ends the loop.
   */
  async run(onReady: () => void | Promise<void>): Promise<void> {
    const { c } = this, wake = this.#wake = c.eventfd(0, EFD_CLOEXEC);
    try {
      while (!this.#isStopped) {
        // struct pollfd: int fd, short events, short revents.
        const polled = Int32Array.from([wake, ...this.fds()].flatMap((fd) => [fd, POLLIN]));
        await c.poll_waiting(polled, BigInt(polled.length / 2), Math.ceil(this.patience()));
        if (polled[1] >> 16) c.read(wake, new BigUint64Array(1), 8n);
        if (!this.#isStopped) await onReady();
      }
    } finally {
      this.#isStopped = true;
      this.#wake = undefined;
      c.close(wake);
    }
  }

  /** Ends the present wait, or the next one. */
  wake(): void {
    if (this.#wake !== undefined) this.c.write(this.#wake, BigUint64Array.of(1n), 8n);
  }

  /** Ends the loop. Safe to call twice. */
  stop(): void {
    this.#isStopped = true;
    this.wake();
  }
}
