/** Random choices that a seed repeats. */

/** A generator of pseudo-random numbers (mulberry32). */
export class Random {
  #state: number;

  /** @param seed Whole number of 32 bits. */
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to, and without, `below`. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ t >>> 15, t | 1);
    t ^= t + Math.imul(t ^ t >>> 7, t | 61);
    return ((t ^ t >>> 14) >>> 0) % below;
  }

  /** Chooses one of some values. */
  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)];
  }

  /** Tells whether an event happens whose probability is 1 in `times`. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  /** Text of up to `length` characters, hostile ones among them. */
  text(length: number): string {
    return Array.from({ length: this.below(length + 1) }, () => this.pick(CHARACTERS)).join("");
  }
}

const CHARACTERS = [
  ..."abcmgkrtsx0123456789-+.,;:/\\%#?&=<>{}[]\"'` ~*",
  "é",
  "漢",
  "😀",
  "\u0000",
  "\u001b",
  "\u202e",
  "\ud800",
  "\n",
  "\r",
  "\t",
  "%00",
  "%2f",
  "%5c",
  "..",
  "__proto__",
  "\u2028",
];
