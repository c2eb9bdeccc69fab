/** The subjects of the fuzzer. */

import type { Random } from "./random.ts";

/** A part of the program that is fuzzed. */
export interface Target {
  /** Runs one case; gives the sent input for the report, and throws an error if the answer is wrong. */
  run(random: Random, note: (what: string) => void): Promise<void>;
  /** Checks the state after all cases. */
  end?(): void;
}

/** @throws Error if the condition does not hold. */
export function mustBe(condition: boolean, what: string) {
  if (!condition) throw new Error(what);
}
