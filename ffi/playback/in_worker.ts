/**
 * Replays in a Worker with a desktop of its own, so that nothing that the program does makes them late.
 */

import type { Playback, PlaybackOutcome, Player, Step } from "../../control/desktop.ts";
import { DesktopUnavailableError, InputError } from "../../core/errors.ts";
import { CONTROL, type PlaybackReport, type PlaybackStart } from "./protocol.ts";

/** How long the end of the program waits for a replay to release what it pressed, in milliseconds. */
const ABORT_MS = 1000;

/**
 * Makes the player of a desktop that can be opened once more, in a Worker.
 * @param url The Worker's module, which calls `servePlayback`.
 * @param source What that module needs to open the same desktop.
 */
export function playInWorker<Source>(url: URL, source: Source): Player {
  return { start: (steps, times) => start(url, source, steps, times) };
}

function start<Source>(url: URL, source: Source, steps: Step[], times: number): Playback {
  const control = new Int32Array(new SharedArrayBuffer(CONTROL.size * 4));
  const worker = new Worker(url, { type: "module" });
  const done = Promise.withResolvers<PlaybackOutcome>();
  const stop = () => {
    Atomics.store(control, CONTROL.stop, 1);
    Atomics.notify(control, CONTROL.stop);
  };
  worker.onmessage = ({ data }: MessageEvent<PlaybackReport>) => {
    worker.terminate();
    if (data.type === "done") done.resolve(data.outcome);
    else done.reject(data.input ? new InputError(data.message) : new DesktopUnavailableError(data.message));
  };
  worker.onerror = (event) => {
    event.preventDefault(); // else it ends the process
    worker.terminate();
    done.reject(new Error(event.message));
  };
  worker.postMessage({ source, steps, times, control } satisfies PlaybackStart<Source>);
  return {
    done: done.promise,
    stop,
    abort() {
      stop();
      // Only a replay that has begun can have pressed something.
      if (Atomics.load(control, CONTROL.state) === 1) Atomics.wait(control, CONTROL.state, 1, ABORT_MS);
    },
  };
}
