/** Captures of a desktop whose screen a Worker can read by itself, so that this thread keeps serving. */

import type { Region } from "../../control/desktop/desktop.ts";
import { CallWorker, type WorkerRole } from "../../core/worker.ts";

/** A capture. */
export interface CaptureCall<Source> {
  /** Plain data by which the Worker opens the same desktop. */
  source: Source;
  region: Region;
  cursor: boolean;
  /** Gets the pixels, in rows without gaps. */
  memory: SharedArrayBuffer;
}

/**
 * The time that the Worker stays without a capture, and that a capture may take, in milliseconds: a server that stands
 * still would else keep all later captures waiting.
 */
const IDLE_MS = 30_000, LIMIT_MS = 10_000;

/** Captures in a Worker, which is started by the first capture. */
export class CaptureWorker<Source> {
  readonly #worker: CallWorker<CaptureCall<Source>, void>;

  /**
   * @param url The role of a Worker's module that calls `answerCaptures`; written as `CallWorker` requires.
   * @param source The data from which the module opens the same desktop.
   */
  constructor(url: WorkerRole, readonly source: Source) {
    this.#worker = new CallWorker({ url, idleMs: IDLE_MS, limitMs: LIMIT_MS });
  }

  /** Captures a region, as `Screen.captureInto` does. */
  async captureInto(region: Region, cursor: boolean, memory: SharedArrayBuffer): Promise<void> {
    await this.#worker.call({ source: this.source, region, cursor, memory });
  }

  close(): void {
    this.#worker.close();
  }
}
