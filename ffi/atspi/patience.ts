/** How long programs are waited for. A program that does not answer in time is given up for a while. */

import { loadPerProcessor, timeByLoad } from "../../core/proc.ts";

/** The time without an answer after which a program counts as hung, in milliseconds, if the machine is not busy. */
export const SILENCE_MS = 300;
/** The longest time without an answer for a program that answered late before, or on a busy machine, in milliseconds. */
const LONGEST_SILENCE_MS = 1500;
/**
 * The time after which a program that was given up is asked again at the latest, in milliseconds; earlier if it sends
 * the missing answers.
 */
const FORGIVEN_MS = 10_000;

/** The time for which the machine's load is known, in milliseconds. */
const LOAD_MS = 1000;

/** Programs that were given up, by their names on the bus, and when each is asked again. */
export type SilentPrograms = Map<string, number>;

/** The patience with each program. */
export class Patience {
  /** Limits of silence of programs that answered late, in milliseconds. */
  readonly #limits = new Map<string, number>();

  #isBusy = false;
  #loadAt = -Infinity;

  /** @param silent Programs that were given up before. */
  constructor(readonly silent: SilentPrograms) {}

  /** Tells whether more programs want to run than there are processors. */
  get isBusy(): boolean {
    const now = performance.now();
    if (now - this.#loadAt < LOAD_MS) return this.#isBusy;
    this.#loadAt = now;
    return this.#isBusy = loadPerProcessor() > 1;
  }

  /** Notes a message of a program: one that was given up was only late, and gets more time. */
  heard(name: string): void {
    if (this.silent.delete(name)) this.#limits.set(name, Math.min(2 * this.#of(name), LONGEST_SILENCE_MS));
  }

  /** Tells whether a time without an answer, in milliseconds, is too long. */
  isOver(name: string, ms: number): boolean {
    return ms >= SILENCE_MS && ms >= this.#of(name);
  }

  /** Gives a program up. */
  end(name: string): void {
    this.silent.set(name, performance.now() + FORGIVEN_MS);
  }

  /** Tells whether a program is given up, and not yet asked again. */
  isOut(name: string): boolean {
    const until = this.silent.get(name);
    if (until !== undefined && until > performance.now()) return true;
    this.silent.delete(name);
    return false;
  }

  #of(name: string): number {
    return this.#limits.get(name) ?? timeByLoad(SILENCE_MS, LONGEST_SILENCE_MS);
  }
}
