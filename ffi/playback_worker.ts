/// <reference lib="deno.worker" />
/**
 * A replay's own thread: a desktop of its own, and sleep that ends on time and at once when it is to stop.
 */

import { playSteps } from "../control/recording/playback.ts";
import { InputError } from "../core/errors.ts";
import { openDesktop } from "./open.ts";
import { CONTROL, type PlaybackReport, type PlaybackStart } from "./playback_protocol.ts";

/** The last bit of a wait is spent awake: systems wake a thread up to this much late, in milliseconds. */
const AWAKE_MS = Deno.build.os === "windows" ? 2 : 0.3;

globalThis.onmessage = async ({ data }: MessageEvent<PlaybackStart>) => {
  const { control } = data;
  let report: PlaybackReport;
  try {
    const desktop = await openDesktop(data.kind);
    try {
      Atomics.store(control, CONTROL.state, 1);
      const outcome = await playSteps(desktop, data.steps, data.times, {
        now: () => performance.now(),
        sleepUntil: (time) => sleepUntil(time, control),
      });
      report = { type: "done", outcome };
    } finally {
      desktop.close(); // what it opened outlives its thread
    }
  } catch (error) {
    report = { type: "failed", message: (error as Error).message, input: error instanceof InputError };
  }
  Atomics.store(control, CONTROL.state, 2);
  Atomics.notify(control, CONTROL.state);
  self.postMessage(report);
};

function sleepUntil(time: number, control: Int32Array<SharedArrayBuffer>): boolean {
  const wait = time - performance.now() - AWAKE_MS;
  if (wait > 0) Atomics.wait(control, CONTROL.stop, 0, wait);
  while (Atomics.load(control, CONTROL.stop) === 0) {
    if (performance.now() >= time) return true;
  }
  return false;
}
