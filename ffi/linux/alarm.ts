/** Ends the waits of another thread of this process in poll(2), by an eventfd. */

import type { Libc } from "./libc.ts";

const EFD_CLOEXEC = 0o2000000, EFD_NONBLOCK = 0o4000;

/** The ringing side of an alarm. The other side polls {@linkcode fd} for reading, and calls {@linkcode silence}. */
export class Alarm {
  readonly fd: number;
  #isClosed = false;

  constructor(readonly c: Libc) {
    this.fd = c.eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  }

  /** Ends the present wait, or the next one. */
  ring(): void {
    if (!this.#isClosed) this.c.write(this.fd, BigUint64Array.of(1n), 8n);
  }

  /** Frees the alarm, when the other side has ended. */
  close(): void {
    if (!this.#isClosed) this.c.close(this.fd);
    this.#isClosed = true;
  }
}

/** Takes the rings so far, so that the next wait waits. */
export function silence(c: Libc, fd: number): void {
  c.read(fd, new BigUint64Array(1), 8n);
}
