/** One verdict for several actions together, from before the first until after the last. Pure. */

import type { Judgement } from "./verdict.ts";

/**
 * Joins the verdicts of actions that followed each other at once.
 * @param parts In their order; an action before the last was not waited for, so that its `miss` may be an effect that
 *   came later.
 * @param hasChanged Tells whether anything has changed since the first began, but for what moves by itself.
 * @example
 * wholeOf([{ verdict: "hit", reason: "a window opened" }, { verdict: "miss", reason: "nothing changed" }], true);
 * // { verdict: "hit", reason: "a window opened" }
 */
export function wholeOf(parts: readonly Judgement[], hasChanged: boolean): Judgement {
  for (const verdict of ["hit", "unsure"]) {
    const last = parts.findLast((part) => part.verdict === verdict);
    if (last) return { verdict: last.verdict, reason: last.reason };
  }
  if (parts.length > 1 && hasChanged) {
    return { verdict: "unsure", reason: "something changed between the steps" };
  }
  return { verdict: "miss", reason: "nothing changed" };
}
