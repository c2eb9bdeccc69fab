/// <reference lib="deno.worker" />
/** The thread of a pinger. */

import { delay } from "@std/async/delay";

/** To the test: when the first answer has come, and at the end. */
export interface PingerMessage {
  /** How long the slowest answer took so far, in milliseconds. */
  slowestMs: number;
}

let isStopped = false;

globalThis.onmessage = async ({ data }: MessageEvent<string>) => {
  if (data === "stop") {
    isStopped = true;
    return;
  }
  let slowestMs = 0;
  const report = () => self.postMessage({ slowestMs } satisfies PingerMessage);
  for (let pings = 0; !isStopped; pings++) {
    const start = performance.now();
    await (await fetch(`${data}/api/position`)).bytes();
    if (pings === 0) report();
    else slowestMs = Math.max(slowestMs, performance.now() - start);
    await delay(5);
  }
  report();
};
