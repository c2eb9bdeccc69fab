/** Replays in a Worker with a desktop of its own, so that nothing that the program does makes them late. */

import type { Playback, PlaybackOutcome, Player, RoundPlan } from "../../control/desktop.ts";
import { runWorker } from "../../core/worker.ts";
import { CONTROL, type PlaybackStart } from "./protocol.ts";

/** How long the end of the program waits for a replay to release what it pressed, in milliseconds. */
const ABORT_MS = 1000;

/**
 * Makes the player of a desktop that can be opened once more, in a Worker.
 * @param url The Worker's module, which calls `servePlayback`; written as `runWorker` asks.
 * @param source What that module needs to open the same desktop.
 */
export function playInWorker<Source>(url: URL, source: Source): Player {
  return { start: (plan, times) => start(url, source, plan, times) };
}

function start<Source>(url: URL, source: Source, plan: RoundPlan, times: number): Playback {
  const control = new Int32Array(new SharedArrayBuffer(CONTROL.size * 4));
  const begun = Promise.withResolvers<void>();
  const start: PlaybackStart<Source> = { source, plan, times, control };
  const { done } = runWorker<PlaybackStart<Source>, "begun", PlaybackOutcome>(
    url,
    start,
    () => begun.resolve(),
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
      // Only a replay that has begun can have pressed something.
      if (Atomics.load(control, CONTROL.state) === 1) Atomics.wait(control, CONTROL.state, 1, ABORT_MS);
    },
  };
}
