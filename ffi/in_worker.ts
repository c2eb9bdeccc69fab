/** Captures, live pictures and replays in Workers that open the desktop again, while this thread serves. */

import type {
  LivePicture,
  ObservedAction,
  Playback,
  PlaybackOutcome,
  Player,
  Region,
  RoundPlan,
} from "../control/desktop/desktop.ts";
import { timeByLoad } from "../core/proc.ts";
import { CallWorker, runWorker, type WorkerRole } from "../core/worker.ts";
import type { LiveReport, ViewersMemory } from "../control/desktop/viewers.ts";
import { clockSkew } from "./watch.ts";

/** A capture. */
export interface CaptureCall<Source> {
  /** Plain data by which the Worker opens the same desktop. */
  source: Source;
  region: Region;
  cursor: boolean;
  /** Receives the pixels, in rows without gaps. */
  memory: SharedArrayBuffer;
}

/**
 * How long an idle Worker stays, and the maximum time for a capture, normally and on a busy machine, in
 * milliseconds: without the maximum, one hung server would block all later captures. The first capture starts
 * the Worker, which takes more than 10 s in a loaded emulator of another processor.
 */
const IDLE_MS = 30_000, LIMIT_MS = 10_000, BUSY_MS = 40_000;

/** Captures in a Worker, which the first capture starts. */
export class CaptureWorker<Source> {
  readonly #worker: CallWorker<CaptureCall<Source>, void>;

  /**
   * @param url The role of a Worker's module that calls `answerCaptures`; written as `CallWorker` requires.
   * @param source The data with which the module opens the same desktop.
   */
  constructor(url: WorkerRole, readonly source: Source) {
    const limitLaterMs = () => timeByLoad(LIMIT_MS, BUSY_MS);
    this.#worker = new CallWorker({ url, idleMs: IDLE_MS, limitMs: LIMIT_MS, limitLaterMs });
  }

  /** Captures a region, as `Screen.captureInto` does. */
  async captureInto(region: Region, cursor: boolean, memory: SharedArrayBuffer): Promise<void> {
    await this.#worker.call({ source: this.source, region, cursor, memory });
  }

  close(): void {
    this.#worker.close();
  }
}

// The live picture of a desktop whose screen a Worker can read on its own.

/** Ends a Worker's waits. */
interface WorkerAlarm {
  /** A file descriptor that becomes readable when the alarm rings. */
  fd: number;
  ring(): void;
  close(): void;
}

/**
 * Makes the live picture in a Worker.
 * @param url The role of a Worker's module that calls `serveLive`; written as `runWorker` requires.
 * @param source The data with which the module opens the same desktop.
 * @param makeAlarm Makes the alarm that ends the Worker's waits in system calls; omitted if it has no such
 * waits.
 */
export function liveInWorker<Source>(
  url: WorkerRole,
  source: Source,
  makeAlarm?: () => WorkerAlarm,
): LivePicture {
  return {
    start(memory, report) {
      const alarm = makeAlarm?.();
      const start: LiveStart<Source> = { source, memory, ...(alarm ? { alarm: alarm.fd } : {}) };
      const { done } = runWorker<LiveStart<Source>, WorkerReport, void>(url, start, (message) => {
        if (message.type !== "wanted") report(message);
      });
      if (!alarm) return { done };
      return { done: done.finally(() => alarm.close()), ring: () => alarm.ring() };
    },
  };
}

/** Messages to the Worker. */
export interface LiveStart<Source> {
  /** Plain data by which the Worker opens the screen. */
  source: Source;
  memory: ViewersMemory;
  /** A file descriptor that becomes readable when the memory has changed; omitted if the backend has none. */
  alarm?: number;
}

/** The Worker's messages. */
export type WorkerReport =
  | LiveReport
  /** The Worker needs a frame and cannot capture one itself. */
  | { type: "wanted" };

// Replays in a Worker with a desktop of its own, so that other work of the program does not delay them.

/** Indices in the shared memory, which reaches the Worker even while it sleeps. */
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
  /** The clock skew (`clockSkew`) of the thread that starts the replay, whose time reported actions have. */
  skew: number;
  control: Int32Array<SharedArrayBuffer>;
}

/** The Worker's messages. */
export type PlaybackReport =
  /** The first step is due. */
  | "begun"
  /** Completed actions, where the system does not report them. */
  | ObservedAction[];

/** Maximum time that the program's exit waits for a replay to release keys and buttons, in milliseconds. */
const ABORT_MS = 1000;

/**
 * Makes the player of a desktop that a Worker can open a second time.
 * @param url The role of a Worker's module that calls `servePlayback`; written as `runWorker` requires.
 * @param source The data with which the module opens the same desktop.
 * @param doneActions Receives completed actions, if the module reports them.
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
