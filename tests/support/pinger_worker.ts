/// <reference lib="deno.worker" />
/** A pinger's thread. */

import { delay } from "@std/async/delay";

/** A message to the thread: what to ping. */
export interface PingerStart {
  /** The control API's address. */
  url: string;
  /** The program's process. */
  pid: number;
}

/** The thread's message: once the first response has arrived, and at the end. */
export interface PingerMessage {
  /** The time of the slowest response so far, in milliseconds. */
  slowestMs: number;
  /**
   * The maximum CPU time that the program's first thread, which serves requests, used during one response, in
   * milliseconds: the work of other programs does not count.
   */
  busiestMs: number;
}

let isStopped = false;

globalThis.onmessage = async ({ data }: MessageEvent<PingerStart | "stop">) => {
  if (data === "stop") {
    isStopped = true;
    return;
  }
  let slowestMs = 0, busiestMs = 0;
  const report = () => self.postMessage({ slowestMs, busiestMs } satisfies PingerMessage);
  for (let pings = 0; !isStopped; pings++) {
    const start = performance.now(), workedBefore = workedMs(data.pid);
    await (await fetch(`${data.url}/api/position`)).bytes();
    if (pings === 0) report();
    else {
      slowestMs = Math.max(slowestMs, performance.now() - start);
      busiestMs = Math.max(busiestMs, workedMs(data.pid) - workedBefore);
    }
    await delay(10);
  }
  report();
};

/** The CPU time of a process's first thread; see Linux's Documentation/scheduler/sched-stats.rst. */
function workedMs(pid: number): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/schedstat`).split(" ")[0]) / 1e6;
}
