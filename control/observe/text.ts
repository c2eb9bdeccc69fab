/** Verdicts in words. */

import type { Judgement } from "./verdict.ts";

/** Writes a verdict: with its reason where it is no hit. */
export function verdictText({ verdict, reason }: Judgement): string {
  return verdict === "hit" ? verdict : `${verdict}: ${reason}`;
}
