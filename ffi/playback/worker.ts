/** The Worker's side of a replay: its own desktop, and sleep that ends on time, or immediately at a stop. */

import type { Desktop, ObservedAction, PlaybackOutcome } from "../../control/desktop/desktop.ts";
import { allSteps, playSteps } from "../../control/recording/playback.ts";
import { serveWorker } from "../../core/worker_entry.ts";
import { clockOf } from "../watch.ts";
import { openedAgain } from "../permission.ts";
import { CONTROL, type PlaybackReport, type PlaybackStart } from "../in_worker.ts";

/**
 * How long the Worker stays awake at the end of a wait, in milliseconds, since systems may wake it this late.
 */
const AWAKE_MS = Deno.build.os === "windows" ? 2 : 0.3;

/**
 * Makes this module the Worker of replays.
 * @param open Opens the desktop from the source given to `playInWorker`. `done` receives each completed
 * action, on systems that do not report a program's actions.
 */
export function servePlayback<Source>(
  open: (source: Source, done: (batch: ObservedAction[]) => void) => Desktop | Promise<Desktop>,
): void {
  serveWorker<PlaybackStart<Source>, PlaybackReport, PlaybackOutcome>(async (start, { report }) => {
    const { source, plan, times, skew, control } = start, now = clockOf(skew);
    const done = (batch: ObservedAction[]) => report(batch.map((seen) => ({ ...seen, at: now() })));
    try {
      const steps = allSteps(plan, () => Atomics.load(control, CONTROL.stop) !== 0);
      report("begun");
      const desktop = await openedAgain(() => open(source, done));
      try {
        Atomics.store(control, CONTROL.state, 1);
        return await playSteps(desktop, steps, times, {
          now: () => performance.now(),
          sleepUntil: (time) => Promise.resolve(sleepUntil(time, control)),
        });
      } finally {
        desktop.close(); // connections outlive the thread that opened them
      }
    } finally {
      Atomics.store(control, CONTROL.state, 2);
      Atomics.notify(control, CONTROL.state);
    }
  });
}

function sleepUntil(time: number, control: Int32Array<SharedArrayBuffer>): boolean {
  const wait = time - performance.now() - AWAKE_MS;
  if (wait > 0) Atomics.wait(control, CONTROL.stop, 0, wait);
  while (Atomics.load(control, CONTROL.stop) === 0) {
    if (performance.now() >= time) return true;
  }
  return false;
}
