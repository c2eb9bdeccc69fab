/** The subjects of the fuzzer. */

import type { Random } from "./random.ts";

/** Something to fuzz. */
export interface Target {
  /** Runs one case; gives what was sent, for the report, and throws what is wrong. */
  run(random: Random, note: (what: string) => void): Promise<void>;
  /** Checks what must hold after all cases. */
  end?(): void;
}

/** @throws Error if it is not so. */
export function mustBe(condition: boolean, what: string) {
  if (!condition) throw new Error(what);
}
