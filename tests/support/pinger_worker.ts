/// <reference lib="deno.worker" />
/** The thread of a pinger. */

import { delay } from "@std/async/delay";

/** A message to the thread: the address to ping. */
export interface PingerStart {
  /** The address of the control API. */
  url: string;
  /** The program's process. */
  pid: number;
}

/** The thread's message: when the first answer has come, and at the end. */
export interface PingerMessage {
  /** The time of the slowest answer so far, in milliseconds. */
  slowestMs: number;
  /**
   * The longest time for which the program's first thread, which serves, worked while one answer was awaited, in
   * milliseconds of processor time: the work of other programs does not count.
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

/** The processor time of a process's first thread; see Documentation/scheduler/sched-stats.rst of Linux. */
function workedMs(pid: number): number {
  return Number(Deno.readTextFileSync(`/proc/${pid}/schedstat`).split(" ")[0]) / 1e6;
}
