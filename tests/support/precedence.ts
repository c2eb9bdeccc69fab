/** The order in which programs of tests get the processor. */

import { setPriority } from "node:os";

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
