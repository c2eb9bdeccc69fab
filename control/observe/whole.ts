/** One verdict for several actions together, from before the first action until after the last. Pure. */

import type { Judgement } from "./judgement.ts";

/**
 * Joins the verdicts of actions that followed each other at once.
 * @param parts The verdicts in order. Only the last action's effects were waited for, so an earlier `miss` may be a
 * late effect.
 * @param hasChanged Whether anything has changed since the first action began, apart from parts that move by
 * themselves.
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
