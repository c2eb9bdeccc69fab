/** Rest of a program: it has loaded or saved what it had to, and waits for input. */

import { attempt } from "../../core/errors.ts";
import { delay } from "@std/async/delay";
import type { Session } from "./session.ts";
import { waitFor } from "./waiting.ts";

/** The time for which a program is looked at, in milliseconds, and the part of it that a blinking caret may take. */
const LOOK_MS = 400, RESTING = 0.1;
/** The longest wait, in seconds: programs with moving pictures never rest. */
const BOUND_SECONDS = 20;

/** Waits until the processes of a program neither use nor want a processor. @param mark From {@linkcode Session.launch}. */
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
 * The time for which processes have used a processor or waited for one, in milliseconds, by the files `schedstat` of
 * their threads (Linux, Documentation/scheduler/sched-stats.rst).
 */
export function effortOf(pids: readonly number[]): number {
  const times = pids.flatMap((pid) => threadsOf(pid).map((thread) => timeOf(`/proc/${pid}/task/${thread}`)));
  return times.reduce((sum, time) => sum + time, 0);
}

function threadsOf(pid: number): string[] {
  const names = () => Array.from(Deno.readDirSync(`/proc/${pid}/task`), ({ name }) => name);
  return attempt(names, []); // it has ended
}

function timeOf(thread: string): number {
  try {
    const [used, waited] = Deno.readTextFileSync(`${thread}/schedstat`).split(" ").map(Number);
    return (used + waited) / 1e6;
  } catch {
    return 0;
  }
}
