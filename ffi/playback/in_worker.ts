/** Replays in a Worker with a desktop of its own, so that other work of the program does not delay them. */

import type {
  ObservedAction,
  Playback,
  PlaybackOutcome,
  Player,
  RoundPlan,
} from "../../control/desktop/desktop.ts";
import { runWorker, type WorkerRole } from "../../core/worker.ts";
import { clockSkew } from "../watch.ts";

/** Indices in the shared memory, which reaches the Worker while it sleeps. */
export const CONTROL = {
  /** The stop flag of the replay: 1 stops it; the Worker sleeps on the flag. */
  stop: 0,
  /** The state of the replay: 0 before the first step, 1 from then on, 2 when everything is released. */
  state: 1,
  size: 2,
} as const;

/** Messages to the Worker. */
export interface PlaybackStart<Source> {
  /** Plain data by which the Worker opens the desktop. */
  source: Source;
  plan: RoundPlan;
  times: number;
  /** The clock's skew (`clockSkew`) of the thread that starts the replay, whose times the reported actions have. */
  skew: number;
  control: Int32Array<SharedArrayBuffer>;
}

/** The Worker's messages. */
export type PlaybackReport =
  /** The first step is due. */
  | "begun"
  /** Actions that were done, where the system does not report them. */
  | ObservedAction[];

/** The time that the end of the program waits for a replay to release keys and buttons, in milliseconds. */
const ABORT_MS = 1000;

/**
 * Makes the player of a desktop that can be opened once more, in a Worker.
 * @param url The role of a Worker's module that calls `servePlayback`; written as `runWorker` requires.
 * @param source The data from which the module opens the same desktop.
 * @param doneActions Receives the actions that are done, if the module reports them.
 */
export function playInWorker<Source>(
  url: WorkerRole,
  source: Source,
  doneActions: (batch: ObservedAction[]) => void = () => {},
): Player {
  return { start: (plan, times) => start(url, source, doneActions, plan, times) };
}

function start<Source>(
  url: WorkerRole,
  source: Source,
  doneActions: (batch: ObservedAction[]) => void,
  plan: RoundPlan,
  times: number,
): Playback {
  const control = new Int32Array(new SharedArrayBuffer(CONTROL.size * 4));
  const begun = Promise.withResolvers<void>();
  const start: PlaybackStart<Source> = { source, plan, times, skew: clockSkew(), control };
  const { done } = runWorker<PlaybackStart<Source>, PlaybackReport, PlaybackOutcome>(
    url,
    start,
    (report) => report === "begun" ? begun.resolve() : doneActions(report),
  );
  done.then(() => begun.resolve(), begun.reject);
  begun.promise.catch(() => {}); // `done` rejects as well
  const stop = () => {
    Atomics.store(control, CONTROL.stop, 1);
    Atomics.notify(control, CONTROL.stop);
  };
  return {
    begun: begun.promise,
    done,
    stop,
    abort() {
      stop();
      // Only a replay that has begun can have pressed keys or buttons.
      if (Atomics.load(control, CONTROL.state) === 1) Atomics.wait(control, CONTROL.state, 1, ABORT_MS);
    },
  };
}
