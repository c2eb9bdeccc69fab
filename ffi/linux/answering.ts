/**
 * Waits for a server that may stand still, such as a compositor or a service of a bus: a wait holds the serving thread
 * up for 20 ms at most, and goes on beside other work until 5 s have passed.
 */

import { DesktopUnavailableError } from "../../core/errors.ts";

/** The longest wait that holds the thread up, and the longest wait, in milliseconds. */
const QUICK_MS = 20, ANSWER_MS = 5000;
/** The longest wait at the end, in milliseconds: a busy server is still given back what is held. */
const END_MS = 2000;
/** The age of an answer, in milliseconds, up to which the server counts as answering. */
const FRESH_MS = 5;

/** The waits of a connection. */
export interface Waits {
  /** Waits on this thread. @returns Whether the condition holds within so many milliseconds. */
  shortly(isDone: () => boolean, ms: number): boolean;
  /** Waits beside other work. @param end By `performance.now()`. @returns Whether the condition holds by then. */
  waitAside(isDone: () => boolean, end: number): Promise<boolean>;
}

/** Whether the other side of a connection answers. */
export class Answering {
  #answeredAt = -Infinity;
  #silent: Promise<void> | undefined;

  /**
   * @param waits The connection.
   * @param ask Sends a question, and returns a function that tells whether its answer has come.
   * @param what The other side's name, for the error.
   */
  constructor(
    readonly waits: Waits,
    readonly ask: () => () => boolean,
    readonly what: string,
  ) {}

  /**
   * Whether the other side does not answer, though it is given the time that a busy one needs: for the end of the
   * program. Holds the thread up. Never throws: a connection that has ended is not silent.
   */
  isSilentAtEnd(): boolean {
    try {
      return !this.waits.shortly(this.ask(), END_MS);
    } catch {
      return false;
    }
  }

  /**
   * Waits until the other side answers, as `Desktop.answering` says.
   * @throws DesktopUnavailableError if the connection has ended.
   */
  wait(): Promise<void> | undefined {
    if (this.#silent) return this.#silent;
    if (performance.now() - this.#answeredAt < FRESH_MS) return undefined;
    const isDone = this.ask();
    if (this.waits.shortly(isDone, QUICK_MS)) return this.#answered();
    const silent = this.#wait(isDone).finally(() => this.#silent = undefined);
    return this.#silent = silent;
  }

  #answered(): undefined {
    this.#answeredAt = performance.now();
  }

  async #wait(isDone: () => boolean): Promise<void> {
    if (await this.waits.waitAside(isDone, performance.now() + ANSWER_MS)) return this.#answered();
    throw new DesktopUnavailableError(`${this.what} has not answered for ${ANSWER_MS / 1000} s`);
  }
}
