/** Work on a thread of its own: the side that starts it. The Worker's side is in `worker_entry.ts`. */

import { type PlainError, rebuiltError } from "./errors.ts";

/** Messages to the Worker: first the start, later perhaps a stop. */
export type ToWorker<Start> = { type: "start"; start: Start } | { type: "stop" };

/** The Worker's messages: any number of reports, then its end. */
export type FromWorker<Report, Result> =
  | { type: "report"; report: Report }
  | { type: "done"; result: Result }
  | { type: "failed"; error: PlainError };

/** A Worker's module with several roles (`serveRoles`). */
export interface WorkerRole {
  url: URL;
  role: string;
}

/**
 * Starts a Worker.
 * @param module As {@linkcode runWorker} takes it.
 */
export function startWorker(module: URL | WorkerRole): Worker {
  return module instanceof URL
    ? new Worker(module, { type: "module" })
    : new Worker(module.url, { type: "module", name: module.role });
}

/** A Worker at work. */
export interface WorkerRun<Result> {
  /**
   * The result of the Worker's function. Rejects with the function's error, or with the error that ended the Worker.
   */
  done: Promise<Result>;
  /** Asks the Worker to finish, which aborts its signal; `done` settles when it has finished. */
  stop(): void;
}

/**
 * Runs a Worker's function once, for long work. Short work shares the Worker of a `CallWorker`, since each start
 * keeps this thread waiting.
 * @param module The Worker's module, which calls `serveWorker`, or a role of one. Its URL is written as
 * `new URL("./name.ts", import.meta.url)` at the call: that is how the executable's builder finds the Workers.
 * @param start The function's argument, which is cloned.
 * @param onReport Called with each report, in order, before `done` settles.
 * @example
 * ```ts
 * const { done } = runWorker<string, never, number>(new URL("./lengths.ts", import.meta.url), "some text");
 * console.log(await done);
 * ```
 */
export function runWorker<Start, Report, Result>(
  module: URL | WorkerRole,
  start: Start,
  onReport?: (report: Report) => void,
): WorkerRun<Result> {
  const worker = startWorker(module);
  const { promise: done, resolve, reject } = Promise.withResolvers<Result>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker<Report, Result>>) => {
    if (data.type === "report") return onReport?.(data.report);
    worker.terminate();
    if (data.type === "done") resolve(data.result);
    else reject(rebuiltError(data.error));
  };
  worker.onerror = (event) => {
    event.preventDefault(); // an error that no handler takes ends the process
    worker.terminate();
    reject(new Error(event.message));
  };
  const post = (message: ToWorker<Start>) => worker.postMessage(message);
  post({ type: "start", start });
  return { done, stop: () => post({ type: "stop" }) };
}
