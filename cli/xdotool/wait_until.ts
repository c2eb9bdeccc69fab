/** Pauses between inputs. */

import { openLibc } from "../../ffi/linux/libc.ts";

/** Sleeps until a time of the clock, in milliseconds. */
export function waitUntil(time: number): void {
  const left = time - performance.now();
  if (left > 0) openLibc().usleep(Math.round(left * 1000));
}
