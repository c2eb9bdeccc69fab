/** The live picture of a desktop whose screen a Worker can read by itself. */

import type { LivePicture } from "../../control/desktop/desktop.ts";
import type { LiveReport, ViewersMemory } from "../../control/desktop/viewers.ts";
import { runWorker, type WorkerRole } from "../../core/worker.ts";

/** Ends waits of a Worker. */
export interface WorkerAlarm {
  /** A descriptor that becomes readable when the alarm rings. */
  fd: number;
  ring(): void;
  close(): void;
}

/**
 * Makes the live picture in a Worker.
 * @param url The role of a Worker's module that calls `serveLive`; written as `runWorker` requires.
 * @param source The data from which the module opens the same desktop.
 * @param makeAlarm Makes the alarm that ends the Worker's waits in system calls; left out if it has none.
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
  /** A descriptor that becomes readable when the memory has changed; left out if the backend has none. */
  alarm?: number;
}

/** The Worker's messages. */
export type WorkerReport =
  | LiveReport
  /** The Worker wants a frame, where it cannot take one by itself. */
  | { type: "wanted" };
