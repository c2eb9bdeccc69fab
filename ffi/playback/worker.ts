/// <reference lib="deno.worker" />
/** The Worker's side of a replay: a desktop of its own, and sleep that ends on time, or at once by a stop. */

import type { Desktop } from "../../control/desktop.ts";
import { playSteps } from "../../control/recording/playback.ts";
import { InputError } from "../../core/errors.ts";
import { CONTROL, type PlaybackReport, type PlaybackStart } from "./protocol.ts";

/** Systems wake a thread up to this much late, so the Worker spends the end of a wait awake, in milliseconds. */
const AWAKE_MS = Deno.build.os === "windows" ? 2 : 0.3;

/**
 * Runs the one replay that this Worker is sent.
 * @param open Opens the desktop from what `playInWorker` was given.
 */
export function servePlayback<Source>(open: (source: Source) => Desktop): void {
  globalThis.onmessage = async ({ data }: MessageEvent<PlaybackStart<Source>>) => {
    const { control } = data;
    let report: PlaybackReport;
    try {
      const desktop = open(data.source);
      try {
        Atomics.store(control, CONTROL.state, 1);
        const outcome = await playSteps(desktop, data.steps, data.times, {
          now: () => performance.now(),
          sleepUntil: (time) => sleepUntil(time, control),
        });
        report = { type: "done", outcome };
      } finally {
        desktop.close(); // connections outlive the thread that opened them
      }
    } catch (error) {
      report = { type: "failed", message: (error as Error).message, input: error instanceof InputError };
    }
    Atomics.store(control, CONTROL.state, 2);
    Atomics.notify(control, CONTROL.state);
    self.postMessage(report);
  };
}

function sleepUntil(time: number, control: Int32Array<SharedArrayBuffer>): boolean {
  const wait = time - performance.now() - AWAKE_MS;
  if (wait > 0) Atomics.wait(control, CONTROL.stop, 0, wait);
  while (Atomics.load(control, CONTROL.stop) === 0) {
    if (performance.now() >= time) return true;
  }
  return false;
}
