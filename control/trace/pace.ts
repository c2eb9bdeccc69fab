/** The rate of a trace's pictures: often after an action, seldom at rest, and within a limit of bytes. Pure. */

/** The shortest time from one picture to the next, in milliseconds: after an action, and at rest. */
const INTERVAL_MS = { active: 100, resting: 1000 } as const;
/** The time that an action, or a person's input, counts as recent, in milliseconds. */
const RECENT_MS = 1500;
/** Bytes of the file a second that a trace may take for longer: 11 MB a minute. */
const RATE = 180_000;
/** Bytes that a trace may take at once, after a rest. */
const BURST = 500_000;

/** Times are in milliseconds of one clock. */
export class Pace {
  #left = BURST;
  #leftAt = 0;
  #activeAt = -Infinity;
  #lastAt = -Infinity;

  /** Notes an action, after which the screen may change. */
  acted(now: number): void {
    this.#activeAt = now;
  }

  /** Notes a picture. @param bytes The number of bytes of its line. */
  took(bytes: number, now: number): void {
    this.#refill(now);
    this.#left -= bytes;
    this.#lastAt = now;
  }

  /**
   * Returns the time when the next picture is due.
   * @param isUrgent Whether an action begins. The picture before it may exceed the budget.
   */
  due(now: number, isUrgent = false): number {
    this.#refill(now);
    const interval = now - this.#activeAt < RECENT_MS ? INTERVAL_MS.active : INTERVAL_MS.resting;
    const lacking = -this.#left - (isUrgent ? BURST : 0);
    return Math.max(
      isUrgent ? now : this.#lastAt + interval,
      lacking > 0 ? now + lacking / RATE * 1000 : now,
    );
  }

  #refill(now: number): void {
    this.#left = Math.min(BURST, this.#left + Math.max(0, now - this.#leftAt) * RATE / 1000);
    this.#leftAt = now;
  }
}
