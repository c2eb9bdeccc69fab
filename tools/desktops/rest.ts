/** Waits for idle programs: they have loaded or saved everything, and wait for input. */

import { attempt } from "../../core/errors.ts";
import { delay } from "@std/async/delay";
import type { Session } from "./session.ts";
import { waitFor } from "./waiting.ts";

/** How long a program is observed, in milliseconds, and the share of this that a blinking caret may use. */
const LOOK_MS = 400, RESTING = 0.1;
/** Maximum wait, in seconds: programs with animations are never idle. */
const BOUND_SECONDS = 20;

/** Waits until a program's processes neither use nor want CPU time. @param mark From `Session.launch`. */
export async function rested(session: Session, mark: string): Promise<void> {
  let before = session.effort(mark);
  await waitFor(
    async () => {
      await delay(LOOK_MS);
      const last = before;
      before = session.effort(mark);
      return Math.abs(before - last) < LOOK_MS * RESTING;
    },
    Boolean,
    BOUND_SECONDS,
  );
}

/**
 * How long processes have used a processor or waited for one, in milliseconds, according to the `schedstat`
 * files of their threads (Linux, Documentation/scheduler/sched-stats.rst).
 */
export function effortOf(pids: readonly number[]): number {
  const times = pids.flatMap((pid) => threadsOf(pid).map((thread) => timeOf(`/proc/${pid}/task/${thread}`)));
  return times.reduce((sum, time) => sum + time, 0);
}

function threadsOf(pid: number): string[] {
  const names = () => Array.from(Deno.readDirSync(`/proc/${pid}/task`), ({ name }) => name);
  return attempt(names, []); // it has exited
}

function timeOf(thread: string): number {
  try {
    const [used, waited] = Deno.readTextFileSync(`${thread}/schedstat`).split(" ").map(Number);
    return (used + waited) / 1e6;
  } catch {
    return 0;
  }
}
