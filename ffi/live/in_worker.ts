/** The live picture of a desktop whose screen a Worker can look at by itself. */

import type { LivePicture } from "../../control/desktop.ts";
import { runWorker } from "../../core/worker.ts";
import type { LiveStart, WorkerReport } from "./protocol.ts";

/**
 * Makes the live picture in a Worker.
 * @param url The Worker's module, which calls `serveLive`; written as `runWorker` asks.
 * @param source What that module needs to open the same desktop.
 */
export function liveInWorker<Source>(url: URL, source: Source): LivePicture {
  return {
    start(memory, report) {
      const start: LiveStart<Source> = { source, memory };
      return runWorker<LiveStart<Source>, WorkerReport, void>(url, start, (message) => {
        if (message.type !== "wanted") report(message);
      });
    },
  };
}
