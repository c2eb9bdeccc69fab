/**
 * The pace of typing. A compositor disconnects a program that does not read its events as fast as they come: 10,000
 * characters at once end a terminal.
 */

import { delay } from "@std/async/delay";

/** Characters that are typed at once. */
export const CHARACTERS_AT_ONCE = 8;
/** The time that programs get for one character, in milliseconds. */
const CHARACTER_MS = 0.5;
/**
 * The time by which programs may lag behind, in milliseconds: the time for the characters that are typed at once, and
 * for one late timer.
 */
const BACKLOG_MS = 8;

/** The pace of typing: the amount that was typed, and the time that programs had for it. */
export class TypingPace {
  /** The time until which programs are busy with the text, on the scale of `performance.now()`. */
  #doneAt = -Infinity;

  /** Waits until some more characters may be typed; no longer than a moment. */
  async wait(): Promise<void> {
    const ms = this.#doneAt - performance.now() - BACKLOG_MS;
    if (ms > 0) await delay(ms);
  }

  /** Counts what is typed. */
  count(characters: number): void {
    this.#doneAt = Math.max(this.#doneAt, performance.now()) + characters * CHARACTER_MS;
  }
}
