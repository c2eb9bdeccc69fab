/** The sound of a session of Linux. Its libraries are opened in a Worker, for a check and while someone listens. */

import type { SoundSource } from "../../../control/desktop/sound_source.ts";
import { runWorker } from "../../../core/worker.ts";
import type { Finding } from "../../permission.ts";

/** Messages to the Worker. */
export interface SoundStart {
  /** A stop flag: its first word is 1 when the last listener has left. */
  stop: Int32Array<SharedArrayBuffer>;
  /** Tells whether this run only checks if there is sound. */
  isCheck: boolean;
}

/** The sound that the session plays. */
export const LINUX_SOUND: SoundSource = {
  check: () => run(true).done,
  start(report) {
    const { done, stop } = run(false, report);
    return { done: done.then(() => {}), stop: () => Atomics.store(stop, 0, 1) };
  },
};

function run(isCheck: boolean, report?: (message: Uint8Array<ArrayBuffer>) => void) {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const start: SoundStart = { stop, isCheck };
  const url = new URL("./worker.ts", import.meta.url);
  return { stop, done: runWorker<SoundStart, Uint8Array<ArrayBuffer>, string>(url, start, report).done };
}

/** Reports by which server sound comes, for `deskhand doctor`. Never throws. */
export async function inspectSound(): Promise<Finding> {
  const detail = await LINUX_SOUND.check().then(
    (server) => `by ${server}; --sound offers it on the page`,
    ({ message }: Error) => `none for --sound: ${message}`,
  );
  return { name: "sound", ok: true, detail }; // deskhand works without sound
}

// Ways to the sound that the session plays. Each is a row of ways.ts.

/**
 * Takes the samples of the sound as they arrive.
 * @param samples Left and right in turn, from -1 to 1; valid until this returns.
 */
export type TakeSamples = (samples: Float32Array<ArrayBuffer>) => void;

/** Sound in the making, on the thread that opened it. */
export interface SoundInput {
  /**
   * Passes on the sound that has arrived.
   * @param ms The longest wait for sound, in milliseconds.
   * @throws DesktopUnavailableError if the sound has ended.
   */
  iterate(ms: number): void;
  /** Frees everything. */
  close(): void;
}

/** A kind of sound server. */
export interface SoundWay {
  /** The name of the way. */
  name: string;
  /**
   * The reason why there is no sound now, as a sentence without its end; undefined if there is sound. Captures nothing.
   * Never throws.
   */
  missing(): string | undefined;
  /** @throws DesktopUnavailableError if the sound server refuses. */
  open(take: TakeSamples): SoundInput;
}

// The form of the desktop's sound, whichever way it comes.

/** Samples a second of each channel: Opus' own rate (RFC 6716 section 2). */
export const RATE = 48_000;
/** The number of channels: left and right. */
export const CHANNELS = 2;
/** Samples of each channel in a packet: 10 ms. */
export const FRAME = 480;
