/**
 * Moves at a pace that programs can follow. Each move reaches the program below the pointer as a message of its own, and
 * a compositor disconnects a program that has some 400 of them to read (sway 1.7, whose buffer for a program has 4 KB).
 */

import type { Point } from "../../../control/desktop.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { Connection } from "../wire/connection.ts";

/**
 * The number of moves that are sent at once, and the time between further moves, in milliseconds; 400 moves then take
 * more than a second.
 */
const MOVES_AT_ONCE = 64, MOVE_MS = 4;
/** Tells whether this thread sleeps between its actions, so that no timer runs, as the thread of a replay does. */
const SLEEPS = "WorkerGlobalScope" in globalThis;

/** The moves of one connection. */
export class PacedMoves {
  /** The number of moves that may be sent now. */
  #free = MOVES_AT_ONCE;
  #countedAt = 0;
  /** The last move that is not sent yet, and the timer that sends it. */
  #waiting: { point: Point; timer: ReturnType<typeof setTimeout> } | undefined;

  /** @param send Sends a move. */
  constructor(readonly connection: Connection, readonly send: (point: Point) => void) {}

  /**
   * Moves at once; after many moves a little later, but before the next request. A later move replaces a move that is
   * not sent yet.
   * @throws DesktopUnavailableError if the compositor is gone.
   */
  move(point: Point): void {
    this.connection.check();
    if (this.#waiting) {
      this.connection.dispatch();
      this.#waiting.point = { ...point };
      return;
    }
    const wait = this.#wait(performance.now());
    if (wait <= 0) this.#send(point);
    else if (SLEEPS) {
      this.connection.c.usleep(Math.ceil(wait * 1000));
      this.#send(point);
    } else this.#sendIn(wait, { ...point });
  }

  /** Sends the waiting move, unless the compositor is gone. */
  close(): void {
    this.#sendWaiting();
    if (this.#waiting) clearTimeout(this.#waiting.timer);
  }

  /** Milliseconds until the next move may be sent. */
  #wait(now: number): number {
    this.#free = Math.min(MOVES_AT_ONCE, this.#free + (now - this.#countedAt) / MOVE_MS);
    this.#countedAt = now;
    return (1 - this.#free) * MOVE_MS;
  }

  #send(point: Point): void {
    this.#free--;
    this.send(point);
  }

  #sendIn(ms: number, point: Point): void {
    this.#waiting = { point, timer: setTimeout(() => this.#sendWaiting(), Math.ceil(ms)) };
    this.connection.defer(() => {
      const { point, timer } = this.#waiting!;
      clearTimeout(timer);
      this.#waiting = undefined;
      this.#send(point);
    });
  }

  #sendWaiting(): void {
    try {
      this.connection.runDeferred();
    } catch (error) {
      if (!(error instanceof DesktopUnavailableError)) throw error; // the next call reports the lost desktop
    }
  }
}
