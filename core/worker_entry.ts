/// <reference lib="deno.worker" />
/**
 * Work on a separate thread: the Worker's side. No module that a Worker imports may await at its top level,
 * because the start message would arrive before the listener exists, and be lost.
 */

import { plainError } from "./errors.ts";
import type { FromWorker, ToWorker } from "./worker.ts";

/** The context of a Worker's function. */
interface WorkerContext<Report> {
  /**
   * Sends a report to the thread that started the Worker.
   * @param transferred Buffers in the report that are transferred instead of being copied.
   */
  report(report: Report, transferred?: Transferable[]): void;
  /** Aborted when the starting thread asks the Worker to finish. */
  stopped: AbortSignal;
}

/**
 * Makes this module a Worker.
 * @param work Called once. Its result or error reaches the starter; errors of core/errors.ts keep their class.
 * @example
 * serveWorker<string, never, number>((text) => text.length);
 */
export function serveWorker<Start, Report, Result>(
  work: (start: Start, context: WorkerContext<Report>) => Result | Promise<Result>,
): void {
  const stopping = new AbortController();
  const post = (message: FromWorker<Report, Result>, transfer: Transferable[] = []) =>
    self.postMessage(message, transfer);
  const context = {
    report: (report: Report, transferred?: Transferable[]) => post({ type: "report", report }, transferred),
    stopped: stopping.signal,
  };
  globalThis.onmessage = async ({ data }: MessageEvent<ToWorker<Start>>) => {
    if (data.type === "stop") return stopping.abort();
    try {
      post({ type: "done", result: await work(data.start, context) });
    } catch (error) {
      post({ type: "failed", error: plainError(error) });
    }
  };
}

/**
 * Makes this module a Worker with several roles, each of which loads only the modules that it needs.
 * @param roles By the role that the starter names: loads the modules, then calls `serveWorker` or
 * `answerCalls`. Messages that arrive meanwhile are queued.
 */
export function serveRoles(roles: Readonly<Record<string, () => Promise<void>>>): void {
  const early: MessageEvent[] = [];
  globalThis.onmessage = (event) => void early.push(event);
  const begin = async () => {
    await roles[self.name]();
    for (const event of early) globalThis.dispatchEvent(event);
  };
  void begin(); // an error reaches the starter as the Worker's own
}

/**
 * Makes this module a `CallWorker`'s Worker.
 * @param work Called with each call, in order. Its result or error reaches the caller.
 * @param transferred Returns the buffers in an answer that are transferred to the caller instead of being
 * copied.
 * @example
 * answerCalls<string, number>((text) => text.length);
 */
export function answerCalls<Call, Answer>(
  work: (call: Call) => Answer | Promise<Answer>,
  transferred: (answer: Answer) => Transferable[] = () => [],
): void {
  const post = (message: FromWorker<never, Answer>, transfer: Transferable[] = []) =>
    self.postMessage(message, transfer);
  let last: Promise<void> = Promise.resolve();
  const answer = async (call: Call) => {
    try {
      const result = await work(call);
      post({ type: "done", result }, transferred(result));
    } catch (error) {
      post({ type: "failed", error: plainError(error) });
    }
  };
  globalThis.onmessage = ({ data }: MessageEvent<Call>) => {
    last = last.then(() => answer(data));
  };
}
