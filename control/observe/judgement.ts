/** Judgements on actions, and their words. */

/** The verdicts. */
export const VERDICTS = ["hit", "miss", "unsure"] as const;
/** One of {@linkcode VERDICTS}. */
export type Verdict = typeof VERDICTS[number];

/** A verdict with its reason. */
export interface Judgement {
  verdict: Verdict;
  reason: string;
}

/** Writes a verdict, with its reason unless it is a hit. */
export function verdictText({ verdict, reason }: Judgement): string {
  return verdict === "hit" ? verdict : `${verdict}: ${reason}`;
}
