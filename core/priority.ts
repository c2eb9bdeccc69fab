/** Priorities of threads, for when more threads have work than there are processors. */

import { libcFunctions } from "./libc.ts";

/** A thread that is so much nicer gets a third of another's time (sched_prio_to_weight of Linux). */
const NICER = 5;

/**
 * Lets the thread that serves, and the desktop's programs, go before this one. For Workers with long work in bulk, such
 * as archives: without it an answer waits until Linux takes the processor from such a Worker, up to 5 ms on 2
 * processors. Pictures and searches, for which agents wait, keep their priority: on a desktop whose programs take all
 * processors a search takes three times as long with a lower one.
 *
 * On Linux each thread has a nice value of its own (setpriority(2), "C library/kernel differences"), and may raise it
 * without any privilege. Elsewhere nothing changes.
 * @example
 * ```ts
 * lowerPriority();
 * answerCalls<string, number>((text) => text.length);
 * ```
 */
export function lowerPriority(): void {
  if (Deno.build.os !== "linux") return;
  try {
    libcFunctions({ nice: { parameters: ["i32" /* increment */], result: "i32" } }).nice(NICER);
  } catch {
    // Without FFI the thread stays as it is.
  }
}
