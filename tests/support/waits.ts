/** Waits of the running test, so that a wait that does not end can be named. */

import { setPriority } from "node:os";

/** The environment variable that sets another patience, for even slower machines. */
export const PATIENCE = "DESKHAND_TEST_PATIENCE_MS";

/** Maximum time for a step of a test on a busy machine, in milliseconds. */
export const PATIENCE_MS = Number(Deno.env.get(PATIENCE) ?? 90_000);

/**
 * Maximum time for a wait under the current load, in milliseconds: {@linkcode PATIENCE_MS}, and up to three
 * times that while more than four programs want each processor.
 */
export function patienceMs(): number {
  const programs = Deno.loadavg()[0] / navigator.hardwareConcurrency;
  return PATIENCE_MS * Math.min(3, Math.max(1, programs / 4));
}

/** A pending wait. */
interface Wait {
  /** The error for a wait that takes too long; its stack shows where the wait is. */
  error: Error;
  since: number;
  refuse(error: Error): void;
}

/** The machine's clock, which tests may replace for themselves. */
const now = performance.now.bind(performance);
const waits = new Set<Wait>();
let progressed = now();

/** Reports that the test has made progress. */
export function progress(): void {
  progressed = now();
}

/** Time since the test's last progress, in milliseconds. */
export function stillness(): number {
  return now() - progressed;
}

/**
 * Waits for a promise; {@linkcode refuseLongWaits} rejects the wait if it takes too long.
 * @param what The name of the wait, for the error.
 * @returns The promise's value.
 * @throws The promise's error.
 */
export async function waiting<T>(what: string, promise: Promise<T>): Promise<T> {
  progress();
  const refused = Promise.withResolvers<never>();
  const error = new Error(`waited too long for ${what}`);
  const wait = { error, since: now(), refuse: refused.reject };
  waits.add(wait);
  try {
    return await Promise.race([promise, refused.promise]);
  } finally {
    waits.delete(wait);
    progress();
  }
}

/** Rejects waits that take too long: their tests fail there, and end the programs that they started. */
export function refuseLongWaits(): void {
  const patience = patienceMs();
  for (const { since, refuse, error } of waits) if (now() - since > patience) refuse(error);
}

// The order in which tests' programs are scheduled.

/** A nice value (setpriority(2)) between those of ordinary programs and the kernel's own. */
const FIRST = -10;

/**
 * Schedules a program before all others, so that a test's desktop responds as fast as a user's, however many
 * tests are running. Compositors on real desktops have such a priority as well (KWin through a file
 * capability, Mutter through rtkit). The program's threads, and programs that it starts later, inherit the
 * priority. Only root may raise a priority; for other users this does nothing.
 * @param pid Its process, just started; or this one, whose other threads stay unchanged.
 */
export function runsFirst(pid: number): void {
  try {
    setPriority(pid, FIRST);
  } catch {
    // The tests do not run as root, or the program has exited.
  }
}
