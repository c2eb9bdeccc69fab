/**
 * Runs replays: on a thread of their own with a desktop of their own, where nothing that the program does makes
 * them late; on this thread for a desktop that exists in this thread's memory alone.
 */

import type { Desktop } from "../control/desktop.ts";
import { type Outcome, type Playback, type Player, playSteps } from "../control/recording/playback.ts";
import type { Step } from "../control/recording/schedule.ts";
import { DesktopUnavailableError, InputError } from "../core/errors.ts";
import { CONTROL, type PlaybackReport, type PlaybackStart } from "./playback_protocol.ts";

/** How long the end of the program waits for a replay to let go of what it pressed, in milliseconds. */
const ABORT_MS = 1000;
/** A replay on this thread that is late lets others have their turn this often, in milliseconds. */
const YIELD_MS = 8;

/** The player for a desktop. */
export function playerFor(desktop: Desktop): Player {
  if (desktop.kind === "virtual") return { start: (steps, times) => onThisThread(desktop, steps, times) };
  return { start: (steps, times) => inWorker(desktop, steps, times) };
}

function onThisThread(desktop: Desktop, steps: Step[], times: number): Playback {
  let stopped = false;
  let wake = () => {};
  const stop = () => {
    stopped = true;
    wake();
  };
  const now = () => performance.now();
  let yieldedAt = now();
  const sleepUntil = async (time: number) => {
    const wait = time - now();
    if ((wait > 0 || now() - yieldedAt > YIELD_MS) && !stopped) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.max(0, wait)); // Deno warns of less on standard error
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      yieldedAt = now();
    }
    return !stopped;
  };
  return { done: playSteps(desktop, steps, times, { now, sleepUntil }), stop, abort: stop };
}

function inWorker(desktop: Desktop, steps: Step[], times: number): Playback {
  const control = new Int32Array(new SharedArrayBuffer(CONTROL.size * 4));
  const worker = new Worker(new URL("./playback_worker.ts", import.meta.url), { type: "module" });
  const done = Promise.withResolvers<Outcome>();
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
  const kind = desktop.kind as PlaybackStart["kind"];
  worker.postMessage({ kind, steps, times, control } satisfies PlaybackStart);
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
