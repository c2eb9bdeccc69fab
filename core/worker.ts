/**
 * Work on threads of their own: starting a Worker, and calls that share one. The Worker's side is in
 * `worker_entry.ts`.
 */

import { BusyError, type PlainError, rebuiltError, StateError } from "./errors.ts";

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
interface WorkerRun<Result> {
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

/** A Worker's module, and the time that the Worker stays. */
interface CallWorkerOptions {
  /**
   * The Worker's module, which calls `answerCalls`, or a role of one. Its URL is written as
   * `new URL("./name.ts", import.meta.url)` at the call: that is how the executable's builder finds the Workers.
   */
  url: URL | WorkerRole;
  /**
   * The time that the Worker stays without a call, in milliseconds: to start one takes 10 to 40 ms, to keep it takes
   * memory.
   */
  idleMs: number;
  /**
   * The time that a call may take from its turn, in milliseconds, before the Worker is ended and another Worker takes
   * the next call; unlimited if left out. A call that waits for the system, such as for a disk that is gone, would
   * otherwise keep all later calls waiting. The ended Worker's thread computes on (Deno 2.9.6), so a call that may compute
   * for long must end by itself before.
   */
  limitMs?: number;
  /** Gives the limit anew once it is over, in milliseconds: a busy machine may take longer. */
  limitLaterMs?: () => number;
  /** Called when the Worker ends because it was idle. */
  onIdle?: () => void;
}

/**
 * Starts a Worker at the first call, and ends the Worker after some time without calls. The starting thread waits until
 * Deno has made the Worker, 5 to 10 ms in which it serves nothing; calls therefore share a Worker.
 */
export class CallWorker<Call, Answer> {
  readonly #options: CallWorkerOptions;
  #worker: Worker | undefined;
  /** Calls without an answer. The first is with the Worker. */
  #calls: Waiting<Call, Answer>[] = [];
  #idle: ReturnType<typeof setTimeout> | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CallWorkerOptions) {
    this.#options = options;
  }

  /**
   * Asks the Worker.
   * @param call Is cloned; shared memory stays shared.
   * @param transferred Buffers of the call that move to the Worker rather than being copied.
   * @returns The result of the Worker's function. Rejects with the function's error, with the error that ended the
   * Worker, or with a BusyError if the call took too long; the next call starts another Worker.
   * @example
   * const lengths = new CallWorker<string, number>({ url: new URL("./lengths.ts", import.meta.url), idleMs: 10_000 });
   * await lengths.call("some text");
   */
  call(call: Call, transferred: Transferable[] = []): Promise<Answer> {
    clearTimeout(this.#idle);
    const answer = Promise.withResolvers<Answer>();
    if (this.#calls.push({ call, transferred, answer }) === 1) this.#send();
    return answer.promise;
  }

  /** Gives the Worker its next call. */
  #send(): void {
    const { limitMs } = this.#options, [{ call, transferred }] = this.#calls;
    if (limitMs !== undefined) this.#late = setTimeout(() => this.#overrun(limitMs), limitMs);
    this.#worker ??= this.#start();
    this.#worker.postMessage(call, transferred);
  }

  #start(): Worker {
    const worker = startWorker(this.#options.url);
    worker.onmessage = ({ data }: MessageEvent<FromWorker<never, Answer>>) => {
      if (worker !== this.#worker) return; // the Worker was ended after its answer
      const { answer } = this.#next();
      if (data.type === "done") answer.resolve(data.result);
      else if (data.type === "failed") answer.reject(rebuiltError(data.error));
    };
    worker.onerror = (event) => {
      event.preventDefault(); // an error that no handler takes ends the process
      this.#end(new Error(event.message));
    };
    return worker;
  }

  /** Removes the first call from the queue, and sends the next call to the Worker. */
  #next(): Waiting<Call, Answer> {
    clearTimeout(this.#late);
    const first = this.#calls.shift()!;
    if (this.#calls.length) this.#send();
    else this.#endWhenIdle();
    return first;
  }

  /** Gives the call without an answer more time on a busy machine, and then up. */
  #overrun(limitMs: number): void {
    const most = this.#options.limitLaterMs?.() ?? limitMs;
    if (most > limitMs) this.#late = setTimeout(() => this.#giveUp(most), most - limitMs);
    else this.#giveUp(limitMs);
  }

  /** Ends the Worker that does not answer; another Worker takes the later calls. */
  #giveUp(limitMs: number): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    const seconds = Math.round(limitMs / 100) / 10;
    this.#next().answer.reject(new BusyError(`it took more than ${seconds} s; try again later`));
  }

  /** Ends the Worker now; calls without an answer are rejected with a StateError. */
  close(): void {
    this.#end(new StateError("it was closed before it answered"));
  }

  #endWhenIdle(): void {
    this.#idle = setTimeout(() => {
      this.#end();
      this.#options.onIdle?.();
    }, this.#options.idleMs);
  }

  /** @param why The error for the calls that have no answer yet. */
  #end(why?: Error): void {
    // The first use of a timer takes a short command 4 to 10 ms (Deno 2.9.6).
    for (const timer of [this.#idle, this.#late]) if (timer !== undefined) clearTimeout(timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { answer } of this.#calls.splice(0)) answer.reject(why);
  }
}

/** A call without an answer. */
interface Waiting<Call, Answer> {
  call: Call;
  transferred: Transferable[];
  answer: PromiseWithResolvers<Answer>;
}

/** A pool of things that are lent to one user at a time. */
export class Pool<T> {
  readonly #free: T[];
  readonly #waiting: ((item: T) => void)[] = [];

  /** @param items Free at first. */
  constructor(items: readonly T[]) {
    this.#free = [...items];
  }

  /** Takes a member, when one is free. */
  async take(): Promise<T> {
    return this.#free.pop() ?? await new Promise<T>((resolve) => this.#waiting.push(resolve));
  }

  /** Gives a member back. */
  give(item: T): void {
    const next = this.#waiting.shift();
    if (next) next(item);
    else this.#free.push(item);
  }
}
