/** A Worker that answers calls: the side that asks. The Worker's side is `answerCalls` in `worker_entry.ts`. */

import { rebuiltError, StateError } from "./errors.ts";
import type { FromWorker } from "./worker.ts";

/** Where a Worker is, and how long it stays. */
export interface CallWorkerOptions {
  /**
   * The Worker's module, which calls `answerCalls`. Written as `new URL("./name.ts", import.meta.url)` at the call: that is how
   * the executable's builder finds the Workers.
   */
  url: URL;
  /** How long it stays without a call, in milliseconds: to start one takes 10 to 40 ms, to keep it takes memory. */
  idleMs: number;
  /** Called when it ends because it was idle. */
  onIdle?: () => void;
}

/**
 * Starts a Worker at the first call, and ends it when it has had no call for a while. The thread that starts one waits
 * until Deno has made it, 5 to 10 ms in which nothing is served, so that calls share one.
 */
export class CallWorker<Call, Answer> {
  readonly #options: CallWorkerOptions;
  #worker: Worker | undefined;
  /** Calls without an answer; the Worker answers in their order. */
  #calls: PromiseWithResolvers<Answer>[] = [];
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CallWorkerOptions) {
    this.#options = options;
  }

  /**
   * Asks the Worker.
   * @param call Cloned; memory that is shared stays so.
   * @param transferred Buffers of the call that move to the Worker rather than being copied.
   * @returns What its function returns. Rejects with what it throws, or with the error that ended the Worker; the next
   * call starts another one.
   * @example
   * const lengths = new CallWorker<string, number>({ url: new URL("./lengths.ts", import.meta.url), idleMs: 10_000 });
   * await lengths.call("some text");
   */
  call(call: Call, transferred: Transferable[] = []): Promise<Answer> {
    clearTimeout(this.#idle);
    const answer = Promise.withResolvers<Answer>();
    this.#calls.push(answer);
    this.#worker ??= this.#start();
    this.#worker.postMessage(call, transferred);
    return answer.promise;
  }

  #start(): Worker {
    const worker = new Worker(this.#options.url, { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<FromWorker<never, Answer>>) => {
      const answer = this.#calls.shift()!;
      if (data.type === "done") answer.resolve(data.result);
      else if (data.type === "failed") answer.reject(rebuiltError(data.error));
      if (!this.#calls.length) this.#endWhenIdle();
    };
    worker.onerror = (event) => {
      event.preventDefault(); // an error that no handler takes ends the process
      this.#end(new Error(event.message));
    };
    return worker;
  }

  /** Ends the Worker now; calls without an answer are rejected with a StateError. */
  close(): void {
    this.#end(new StateError("it was closed meanwhile"));
  }

  #endWhenIdle(): void {
    this.#idle = setTimeout(() => {
      this.#end();
      this.#options.onIdle?.();
    }, this.#options.idleMs);
  }

  /** @param why What rejects the calls that have no answer. */
  #end(why?: Error): void {
    clearTimeout(this.#idle);
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const answer of this.#calls.splice(0)) answer.reject(why);
  }
}
