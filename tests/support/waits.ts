/** Waits of the running test, so that a wait that does not end can be named. */

import { setPriority } from "node:os";

/** The variable that sets another patience, for machines that are slower still. */
export const PATIENCE = "DESKHAND_TEST_PATIENCE_MS";

/** The time that a busy machine may take for a step of a test, in milliseconds. */
export const PATIENCE_MS = Number(Deno.env.get(PATIENCE) ?? 90_000);

/**
 * The time that a wait may take now, in milliseconds: {@linkcode PATIENCE_MS}, and up to three times of that while more
 * than four programs want each processor.
 */
export function patienceMs(): number {
  const programs = Deno.loadavg()[0] / navigator.hardwareConcurrency;
  return PATIENCE_MS * Math.min(3, Math.max(1, programs / 4));
}

/** A wait that has not ended. */
interface Wait {
  /** The error of a wait that is too long; its stack shows the place of the wait. */
  error: Error;
  since: number;
  refuse(error: Error): void;
}

/** The machine's clock, which tests may replace for themselves. */
const now = performance.now.bind(performance);
const waits = new Set<Wait>();
let progressed = now();

/** Says that the test has come further. */
export function progress(): void {
  progressed = now();
}

/** The time since the test's last step forward, in milliseconds. */
export function stillness(): number {
  return now() - progressed;
}

/**
 * Waits for a promise, and is refused by {@linkcode refuseLongWaits} if that takes too long.
 * @param what The name of the wait, for the error.
 * @returns What it resolves to.
 * @throws The reason with which it is rejected.
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

// The order in which programs of tests get the processor.

/** A nice value (setpriority(2)) between those of usual programs and of the kernel's own. */
const FIRST = -10;

/**
 * Lets a program run before all others, so that the desktop of a test answers as fast as a person's, however many tests
 * run beside it. Compositors on real desktops have such a priority as well (KWin by a capability of its file, Mutter by
 * rtkit). The program's threads, and programs that it starts later, get the same priority. Only root may raise a
 * priority; for other users nothing changes.
 * @param pid Its process, just started; or this one, whose other threads stay as they are.
 */
export function runsFirst(pid: number): void {
  try {
    setPriority(pid, FIRST);
  } catch {
    // The tests do not run as root, or it has ended.
  }
}
