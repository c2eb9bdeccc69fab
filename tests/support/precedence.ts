/** The order in which programs of tests get the processor. */

import { setPriority } from "node:os";

/** A nice value (setpriority(2)) between those of usual programs and of the kernel's own. */
const FIRST = -10;

/**
 * Lets a program run before all others. The desktop of a test answers as that of a person does, however many tests run
 * beside it. Compositors have this on real desktops as well (KWin by a capability of its file, Mutter by rtkit). Its
 * threads and programs that it starts from now on have the same. Only root may do so; else nothing changes.
 * @param pid Its process, just started; or this one, whose other threads stay as they are.
 */
export function runsFirst(pid: number): void {
  try {
    setPriority(pid, FIRST);
  } catch {
    // The tests do not run as root, or it has ended.
  }
}
