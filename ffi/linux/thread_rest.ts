/** Threads of another program that have nothing to do: neither run nor want a processor (proc(5)). */

import { delay } from "@std/async/delay";
import { readProc } from "../../core/proc.ts";

/** The time between two looks, in milliseconds. */
const LOOK_MS = 2;

/** Bounds of a wait, in milliseconds. */
export interface RestBounds {
  /** The time for which the threads do nothing. */
  quietMs: number;
  /** The longest wait. */
  mostMs: number;
}

/**
 * Waits until threads have handled what has reached them: what comes to a socket makes the thread that waits for it
 * want a processor at once.
 * @param threads Folders below /proc, such as `12` or `12/task/13`; those that are not there rest.
 * @param signal Ends the wait; the promise then rejects with the signal's reason.
 */
export async function threadsRest(
  threads: readonly string[],
  { quietMs, mostMs }: RestBounds,
  signal?: AbortSignal,
): Promise<void> {
  const end = performance.now() + mostMs, look = () => threads.map(effort).join();
  let since = performance.now();
  for (let before = look(); performance.now() < Math.min(end, since + quietMs);) {
    await delay(LOOK_MS, { signal });
    const now = look();
    if (now !== before) since = performance.now();
    before = now;
  }
}

/** Whether a thread is stopped, so that it will handle what has reached it later (SIGSTOP, ptrace(2)). */
export function isStopped(thread: string): boolean {
  return /[Tt]/.test(stateOf(thread) ?? "");
}

/** The state of a thread (proc(5)): `R` runs or wants a processor, `D` waits for a disk in the middle of its work. */
function stateOf(thread: string): string | undefined {
  return /\) (\w)/.exec(readProc(`${thread}/stat`))?.[1];
}

/**
 * The times for which a thread has run and has waited for a processor, and how often it ran
 * (Documentation/scheduler/sched-stats.rst of Linux); another text each time while the thread wants to run.
 */
function effort(thread: string): string {
  const state = stateOf(thread);
  return state === "R" || state === "D" ? `running ${performance.now()}` : readProc(`${thread}/schedstat`);
}
