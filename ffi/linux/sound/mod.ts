/** A Linux session's sound. Its libraries are opened in a Worker, for a check and while someone listens. */

import type { SoundSource } from "../../../control/desktop/screen.ts";
import { runWorker } from "../../../core/worker.ts";
import type { Finding } from "../../permission.ts";

/** Messages to the Worker. */
export interface SoundStart {
  /** A stop flag: its first word is 1 after the last listener has left. */
  stop: Int32Array<SharedArrayBuffer>;
  /** Whether this run only checks whether there is sound. */
  isCheck: boolean;
}

/** The sound played by the session. */
export const LINUX_SOUND: SoundSource = {
  check: () => run(true).done,
  start(report) {
    const { done, stop } = run(false, report);
    return { done, stop: () => Atomics.store(stop, 0, 1) };
  },
};

function run(isCheck: boolean, report?: (message: Uint8Array<ArrayBuffer>) => void) {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const start: SoundStart = { stop, isCheck };
  const url = new URL("./worker.ts", import.meta.url);
  return { stop, done: runWorker<SoundStart, Uint8Array<ArrayBuffer>, void>(url, start, report).done };
}

/** Reports whether the session has a sound server, for `deskhand doctor`; optional. Never throws. */
export async function inspectSound(): Promise<Finding> {
  const name = "sound";
  return await LINUX_SOUND.check().then(
    (): Finding => ({ name, ok: true, detail: "--sound offers it on the page" }),
    ({ message }: Error) => ({
      name,
      ok: true,
      isAbsent: true,
      detail: `none for --sound (optional): ${message}`,
    }),
  );
}

// The format of the desktop's sound, whatever its source.

/** Samples per second and channel: Opus's own rate (RFC 6716 section 2). */
export const RATE = 48_000;
/** The number of channels: left and right. */
export const CHANNELS = 2;
/** Samples per channel in a packet: 10 ms. */
export const FRAME = 480;
