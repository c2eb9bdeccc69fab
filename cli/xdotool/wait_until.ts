/** Pauses between inputs. */

import { openLibc } from "../../ffi/linux/libc.ts";

/**
 * Linux ends a sleep 30 to 90 us late, and a key has two pauses. The thread is therefore awake in the last part of a
 * pause, in milliseconds.
 */
const AWAKE_MS = 0.1;

/** Waits until a time of the clock, in milliseconds. */
export function waitUntil(time: number): void {
  const left = time - performance.now() - AWAKE_MS;
  if (left > 0) openLibc().usleep(Math.round(left * 1000));
  while (performance.now() < time);
}

/** The longest pause without a timer, in milliseconds, since the first use of a timer takes 4 to 10 ms (Deno 2.9.6). */
const BRIEF_MS = 20;

/** Waits until a time of the clock, in milliseconds; during a long pause other work goes on. */
export async function pauseUntil(time: number): Promise<void> {
  const left = time - performance.now();
  if (left <= BRIEF_MS && Deno.build.os === "linux") waitUntil(time);
  else await new Promise((resolve) => setTimeout(resolve, Math.max(0, left)));
}
