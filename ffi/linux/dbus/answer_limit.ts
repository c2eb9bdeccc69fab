/** The bound on the wait for a service's answer. */

import { timeByLoad } from "../../../core/proc.ts";
import { tooLate } from "./errors.ts";

/** The time that a service may take to answer, in milliseconds. */
export const ANSWER_MS = 5000;
/** The longest time that a service may take on a busy machine, if no thread waits for the answer. */
const LATEST_MS = 20_000;

/**
 * Ends a wait that is too long. The load of the machine is looked at only after the usual time.
 * @param what The thing that is waited for.
 * @param ms How long the service may take, in milliseconds; if left out, {@linkcode ANSWER_MS}, and up to four times of
 * that on a busy machine, whose compositor may get no processor time for seconds.
 * @param giveUp Gets the error of an answer that does not come.
 * @returns Ends the bound.
 */
export function limitWait(
  what: string,
  ms: number | undefined,
  giveUp: (error: Error) => void,
): () => void {
  const start = performance.now();
  const late = () => {
    const limit = ms ?? Math.round(timeByLoad(ANSWER_MS, LATEST_MS));
    const left = start + limit - performance.now();
    if (left > 0) timer = setTimeout(late, left);
    else giveUp(tooLate(what, limit));
  };
  let timer = setTimeout(late, ms ?? ANSWER_MS);
  return () => clearTimeout(timer);
}
