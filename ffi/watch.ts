/** The requesting side of watches in a Worker. The Worker decodes events and sends actions in batches. */

import type { InputAction, ObservedAction, Point, Watch, WatchListener } from "../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../core/errors.ts";
import { deadline, within } from "../core/until.ts";
import { runWorker } from "../core/worker.ts";
import { keyOfCharacter } from "./text.ts";

// A Worker's times on the scale of the thread that started it. Each thread's `performance` counts from the
// thread's start, which it takes from the system clock. Two threads disagree if the clock was set, or the
// machine slept, between their starts.

/**
 * Returns how far this thread's `performance.timeOrigin + performance.now()` is ahead of the system clock, in
 * milliseconds. On a busy machine the thread may be paused between the two clocks: it then reads them again.
 */
export function clockSkew(): number {
  for (let tries = 10;; tries--) {
    const before = performance.now(), date = Date.now(), isPaused = performance.now() - before >= 1;
    if (!isPaused || tries === 0) return performance.timeOrigin + before - date;
  }
}

/**
 * The clock of another thread.
 * @param skew The result of {@linkcode clockSkew} on that thread, at about this time.
 * @returns A function for that thread's `performance.timeOrigin + performance.now()`, within 1 ms and never
 * decreasing.
 */
export function clockOf(skew: number): () => number {
  const origin = performance.timeOrigin - (clockSkew() - skew);
  return () => origin + performance.now();
}

/** Messages to the Worker. */
export interface WatchStart<Source> {
  /** Plain data by which the Worker finds the desktop. */
  source: Source;
  /** The {@linkcode clockSkew} of the thread that requested the watch, whose time the actions have. */
  skew: number;
}

/** The Worker's messages. */
export type WatchReport<Ready> =
  /** Every action from now on is reported. */
  | { type: "ready"; ready: Ready }
  | { type: "actions"; batch: ObservedAction[] }
  /** Events were lost; the watch goes on. */
  | { type: "gap"; message: string };

/** A watch, and its Worker's first report. */
export interface WorkerWatch<Ready> extends Watch {
  ready: Ready;
}

/** Maximum time for a Worker to begin watching, and to end, in milliseconds: a display server may hang. */
const START_MS = 20_000, END_MS = 2000;

/**
 * Watches all input until closed.
 * @param url The Worker's module, as for `runWorker`. The Worker's function returns after a stop, and throws
 * when input can no longer be watched.
 * @param stop Makes the Worker's function return, using the value that it reported when ready; if omitted,
 * the Worker receives a stop message.
 * @returns When every further action reaches the listener.
 * @throws DesktopUnavailableError if input cannot be watched, or the desktop does not answer in time.
 */
export async function watchInWorker<Source, Ready = undefined>(
  url: URL,
  source: Source,
  listener: WatchListener,
  stop?: (ready: Ready) => void,
): Promise<WorkerWatch<Ready>> {
  const started = Promise.withResolvers<Ready>();
  let state: "starting" | "watching" | "closed" = "starting";
  const start: WatchStart<Source> = { source, skew: clockSkew() };
  const run = runWorker<WatchStart<Source>, WatchReport<Ready>, void>(url, start, (report) => {
    if (report.type === "actions") listener.actions(report.batch);
    else if (report.type === "gap") listener.problem("gap", report.message);
    else if (state === "starting") {
      state = "watching";
      started.resolve(report.ready);
    } else end(report.ready);
  });
  const end = (ready: Ready) => stop ? stop(ready) : run.stop();
  const ended = run.done.catch(({ message }: Error) => {
    started.reject(new DesktopUnavailableError(`cannot watch input: ${message}`));
    if (state === "watching") listener.problem("ended", `watching input ended: ${message}`);
    state = "closed";
  });
  const withdraw = deadline(START_MS, () => {
    state = "closed";
    started.reject(
      new DesktopUnavailableError(`cannot watch input: no answer for ${START_MS / 1000} s`),
    );
  });
  const ready = await started.promise.finally(withdraw);
  return {
    ready,
    close() {
      if (state === "watching") {
        state = "closed";
        end(ready);
      }
      return within(END_MS, ended);
    },
  };
}

// deskhand's own input, for protocols that do not report the input of others, such as Wayland and VNC.

/** The listeners of one desktop. */
export class OwnActions {
  readonly #listeners = new Set<WatchListener>();
  /** Resolves when the last action of {@linkcode reportOf} has been reported or has failed. */
  #last: Promise<void> = Promise.resolve();
  /** The last move, recorded even without listeners. */
  lastMove: { point: Point; at: number } | undefined;

  add(listener: WatchListener): void {
    this.#listeners.add(listener);
  }

  remove(listener: WatchListener): void {
    this.#listeners.delete(listener);
  }

  /** Reports to a listener until the watch is closed. */
  watch(listener: WatchListener): Promise<Watch> {
    this.add(listener);
    return Promise.resolve({ close: () => Promise.resolve(this.remove(listener)) });
  }

  /** Reports actions that have just been done. */
  report(...actions: InputAction[]): void {
    const at = performance.timeOrigin + performance.now();
    this.pass(actions.map((action): ObservedAction => ({ action, at, injected: true })));
  }

  /**
   * Performs an action, and reports it after those that began before it: releases are sent together, and the
   * answer to the first one may be noticed last.
   * @param run Performs the action.
   * @param action Describes the action, or its parts in order, once it is done.
   * @throws The errors of `run`; the action is then not reported.
   */
  async reportOf(run: () => Promise<void>, action: () => InputAction | InputAction[]): Promise<void> {
    const before = this.#last, after = Promise.withResolvers<void>();
    this.#last = after.promise;
    try {
      await run();
      await before;
      this.report(...[action()].flat());
    } finally {
      before.then(after.resolve); // a failed action lets no later one overtake an earlier one
    }
  }

  /** Reports another thread's actions. */
  pass(batch: ObservedAction[]): void {
    for (const { action, at } of batch) if (action.type === "move") this.lastMove = { point: action, at };
    for (const listener of this.#listeners) listener.actions(batch);
  }

  /** Reports a character of typed text as the press and release of its key. */
  reportCharacter(codePoint: number): void {
    if (!this.#listeners.size) return;
    const key = keyOfCharacter(codePoint);
    this.report({ type: "key", key, down: true }, { type: "key", key, down: false });
  }
}
