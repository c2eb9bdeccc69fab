/** Verdicts in words. */

import type { Judgement } from "./verdict.ts";

/** Writes a verdict, with its reason unless it is a hit. */
export function verdictText({ verdict, reason }: Judgement): string {
  return verdict === "hit" ? verdict : `${verdict}: ${reason}`;
}
