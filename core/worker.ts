/**
 * Work on separate threads: starting a Worker, and calls sharing one. `worker_entry.ts` is the Worker's side.
 */

import { BusyError, OverdueError, type PlainError, rebuiltError, StateError } from "./errors.ts";

/** Messages to the Worker: first the start, perhaps a stop later. */
export type ToWorker<Start> = { type: "start"; start: Start } | { type: "stop" };

/** Messages from the Worker: any number of reports, then its end. */
export type FromWorker<Report, Result> =
  | { type: "report"; report: Report }
  | { type: "done"; result: Result }
  | { type: "failed"; error: PlainError };

/** A Worker module with several roles (`serveRoles`). */
export interface WorkerRole {
  url: URL;
  role: string;
}

/**
 * Starts a Worker.
 * @param module As for {@linkcode runWorker}.
 */
export function startWorker(module: URL | WorkerRole): Worker {
  return module instanceof URL
    ? new Worker(module, { type: "module" })
    : new Worker(module.url, { type: "module", name: module.role });
}

/** A running Worker. */
interface WorkerRun<Result> {
  /**
   * The result of the Worker's function. Rejects with the function's error, or the one that ended the Worker.
   */
  done: Promise<Result>;
  /** Asks the Worker to finish by aborting its signal; `done` settles once it has finished. */
  stop(): void;
}

/**
 * Runs a Worker's function once, for long work. Short work shares the Worker of a `CallWorker`, because each
 * start blocks this thread.
 * @param module The Worker's module, which calls `serveWorker`, or one of its roles. The URL must be written
 * as `new URL("./name.ts", import.meta.url)` at the call, where the executable's builder looks for Workers.
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
    event.preventDefault(); // an unhandled error would end the process
    worker.terminate();
    reject(new Error(event.message));
  };
  const post = (message: ToWorker<Start>) => worker.postMessage(message);
  post({ type: "start", start });
  return { done, stop: () => post({ type: "stop" }) };
}

/** A Worker's module, and how long the Worker stays alive. */
interface CallWorkerOptions<Call> {
  /**
   * The Worker's module, which calls `answerCalls`, or one of its roles. The URL must be written as
   * `new URL("./name.ts", import.meta.url)` at the call, where the executable's builder looks for Workers.
   */
  url: URL | WorkerRole;
  /** Milliseconds for which the Worker stays without a call: a start takes 10 to 40 ms, keeping it memory. */
  idleMs: number;
  /**
   * Maximum time for a call once its turn comes, in milliseconds, before the Worker is terminated and another
   * one serves the next call; defaults to unlimited. A call waiting for the system, such as for a disk that
   * is gone, would otherwise block all later calls. A terminated Worker's thread continues to compute (Deno
   * 2.9.6), so a call that may compute for long must stop on its own before that.
   */
  limitMs?: number;
  /** Returns a new limit when the first is exceeded, in milliseconds: a busy machine may take longer. */
  limitLaterMs?: () => number;
  /** Like `limitMs`, for a call; asked again when the limit is exceeded. */
  limitOf?: (call: Call) => number;
  /** The number of calls that may wait for their turn; unlimited if left out, where something else limits the callers. */
  mostWaiting?: number;
  /** Called when the Worker is terminated because it was idle. */
  onIdle?: () => void;
}

/**
 * Starts a Worker on the first call, and terminates it after some time without calls. The starting thread is
 * blocked until Deno has created the Worker, 5 to 10 ms in which it serves nothing; calls therefore share a
 * Worker.
 */
export class CallWorker<Call, Answer> {
  readonly #options: CallWorkerOptions<Call>;
  #worker: Worker | undefined;
  /** Unanswered calls. The Worker is processing the first. */
  #calls: Waiting<Call, Answer>[] = [];
  #idle: ReturnType<typeof setTimeout> | undefined;
  #late: ReturnType<typeof setTimeout> | undefined;

  constructor(options: CallWorkerOptions<Call>) {
    this.#options = options;
  }

  /**
   * Calls the Worker.
   * @param call Is cloned; shared memory stays shared.
   * @param transferred Buffers in the call that are transferred to the Worker instead of being copied.
   * @param signal Removes the call from the queue when it is aborted, and rejects the promise with its reason. The
   * Worker finishes a call that it has begun, unless the reason is a BusyError: what it waits for does not answer.
   * @returns The result of the Worker's function. Rejects with the function's error, with the error that ended the
   * Worker, or with a BusyError if too many calls wait, or the call took too long; the next call starts another Worker.
   * @example
   * const lengths = new CallWorker<string, number>({ url: new URL("./lengths.ts", import.meta.url), idleMs: 10_000 });
   * await lengths.call("some text");
   */
  call(call: Call, transferred: Transferable[] = [], signal?: AbortSignal): Promise<Answer> {
    const { mostWaiting = Infinity } = this.#options;
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.#calls.length > mostWaiting) {
      return Promise.reject(
        new BusyError(`${mostWaiting} calls wait for their turn already; try again later`),
      );
    }
    clearTimeout(this.#idle);
    const answer = Promise.withResolvers<Answer>(), waiting = { call, transferred, answer };
    if (this.#calls.push(waiting) === 1) this.#send();
    return signal ? this.#unlessLeft(waiting, signal) : answer.promise;
  }

  /** Waits for an answer; the call leaves the queue when its caller leaves. */
  async #unlessLeft(waiting: Waiting<Call, Answer>, signal: AbortSignal): Promise<Answer> {
    const leave = () => {
      const place = this.#calls.indexOf(waiting);
      if (place === 0 && signal.reason instanceof BusyError) return this.#abandon(signal.reason);
      if (place <= 0) return; // the Worker has the first one
      this.#calls.splice(place, 1);
      waiting.answer.reject(signal.reason);
    };
    signal.addEventListener("abort", leave);
    return await waiting.answer.promise.finally(() => signal.removeEventListener("abort", leave));
  }

  /** Sends the next call to the Worker. */
  #send(): void {
    const [{ call, transferred }] = this.#calls, { limitOf, limitMs = limitOf?.(call) } = this.#options;
    if (limitMs !== undefined) this.#late = setTimeout(() => this.#overrun(limitMs), limitMs);
    this.#worker ??= this.#start();
    this.#worker.postMessage(call, transferred);
  }

  #start(): Worker {
    const worker = startWorker(this.#options.url);
    worker.onmessage = ({ data }: MessageEvent<FromWorker<never, Answer>>) => {
      if (worker !== this.#worker) return; // the Worker was terminated after it answered
      const { answer } = this.#next();
      if (data.type === "done") answer.resolve(data.result);
      else if (data.type === "failed") answer.reject(rebuiltError(data.error));
    };
    worker.onerror = (event) => {
      event.preventDefault(); // an unhandled error would end the process
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

  /** Gives the current call more time on a busy machine, and then gives up. */
  #overrun(limitMs: number): void {
    const { limitOf, limitLaterMs = () => limitOf?.(this.#calls[0].call) } = this.#options;
    const most = limitLaterMs() ?? limitMs;
    if (most > limitMs) this.#late = setTimeout(() => this.#giveUp(most), most - limitMs);
    else this.#giveUp(limitMs);
  }

  /** Terminates the unresponsive Worker; another Worker serves later calls. */
  #giveUp(limitMs: number): void {
    const seconds = Math.round(limitMs / 100) / 10;
    this.#abandon(new BusyError(`it took more than ${seconds} s; try again later`));
  }

  #abandon(why: BusyError): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#next().answer.reject(why);
  }

  /** Terminates the Worker now; unanswered calls reject with a StateError. */
  close(): void {
    this.#end(new StateError("it was closed before it answered"));
  }

  #endWhenIdle(): void {
    this.#idle = setTimeout(() => {
      this.#end();
      this.#options.onIdle?.();
    }, this.#options.idleMs);
  }

  /** @param why The error for unanswered calls. */
  #end(why?: Error): void {
    // The first use of a timer costs a short command 4 to 10 ms (Deno 2.9.6).
    for (const timer of [this.#idle, this.#late]) if (timer !== undefined) clearTimeout(timer);
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const { answer } of this.#calls.splice(0)) answer.reject(why);
  }
}

/**
 * Returns a handler for the errors of calls that says who did not answer within the time limit.
 * @param who Such as `the text reader`.
 * @throws OverdueError for a BusyError of a {@linkcode CallWorker}; other errors unchanged.
 */
export function unansweredBy(who: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof BusyError)) throw error;
    throw new OverdueError(`${who} does not answer: ${error.message}`, { cause: error });
  };
}

/** An unanswered call. */
interface Waiting<Call, Answer> {
  call: Call;
  transferred: Transferable[];
  answer: PromiseWithResolvers<Answer>;
}

/** A pool of items that are lent to one user at a time. */
export class Pool<T> {
  readonly #free: T[];
  readonly #waiting: ((item: T) => void)[] = [];

  /** @param items The items, initially free. */
  constructor(items: readonly T[]) {
    this.#free = [...items];
  }

  /** Takes an item as soon as one is free. */
  async take(): Promise<T> {
    return this.#free.pop() ?? await new Promise<T>((resolve) => this.#waiting.push(resolve));
  }

  /** Returns an item to the pool. */
  give(item: T): void {
    const next = this.#waiting.shift();
    if (next) next(item);
    else this.#free.push(item);
  }
}
