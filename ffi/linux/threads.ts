/** Threads as shown by proc(5): another program's at rest, and one of this program's that is stuck. */

import { delay } from "@std/async/delay";
import { readProc, timeByLoad } from "../../core/proc.ts";
import type { Libc } from "./libc.ts";

/** Interval between checks, in milliseconds. */
const LOOK_MS = 2;

/** Limits of a wait, in milliseconds. */
interface RestBounds {
  /** How long the threads must be idle. */
  quietMs: number;
  /** Maximum wait. */
  mostMs: number;
}

/**
 * Waits until threads have handled what has reached them: data that arrives at a socket immediately makes the
 * thread that waits for it runnable.
 * @param threads Folders below /proc, such as `12` or `12/task/13`; missing ones count as idle.
 * @param signal Ends the wait; the promise then rejects with the signal's reason.
 */
export async function threadsRest(
  threads: readonly string[],
  { quietMs, mostMs }: RestBounds,
  signal?: AbortSignal,
): Promise<void> {
  const end = performance.now() + mostMs, look = () => threads.map(effort).join();
  let since = performance.now();
  for (let before = look(); performance.now() < Math.min(end, since + quietMs);) {
    await delay(LOOK_MS, { signal });
    const now = look();
    if (now !== before) since = performance.now();
    before = now;
  }
}

/** Whether a thread is stopped, so that it will handle what has reached it later (SIGSTOP, ptrace(2)). */
export function isStopped(thread: string): boolean {
  return /[Tt]/.test(stateOf(thread) ?? "");
}

/** A thread's state (proc(5)): `R` is running or runnable, `D` is waiting for a disk during its work. */
function stateOf(thread: string): string | undefined {
  return /\) (\w)/.exec(readProc(`${thread}/stat`))?.[1];
}

/**
 * How long a thread has run and has waited for a processor, and how often it ran
 * (Documentation/scheduler/sched-stats.rst of Linux); the text differs each time while the thread is
 * runnable.
 */
function effort(thread: string): string {
  const state = stateOf(thread);
  return state === "R" || state === "D" ? `running ${performance.now()}` : readProc(`${thread}/schedstat`);
}

// Endless waits of the serving thread. Xlib waits for an answer in poll(2) without a limit: if the server
// hangs within a call, files, health checks and signals would wait as well. A Worker checks the thread, and
// shuts down the socket that it waits for: the call then fails as if the server were gone.

/** Interval between checks, in milliseconds. */
const STUCK_LOOK_MS = 100;
/**
 * Time without waking after which a thread is stuck, in milliseconds, longer on a busy machine; shorter soon
 * after it was stuck, since its next calls go to the same server.
 */
const STUCK_MS = { first: 1000, next: 200 } as const;
/** Time for which a server that was silent counts as such, in milliseconds. */
const SILENCE_MS = 10_000;
/**
 * An unlimited wait for one descriptor, in /proc/PID/syscall (proc_pid_syscall(5)): poll(2) on x86-64,
 * ppoll(2) on arm64. The group is the address of its `struct pollfd`, which begins with the descriptor.
 */
const WAIT = /^(?:7 0x([0-9a-f]+) 0x1 0xffffffff|73 0x([0-9a-f]+) 0x1 0x0) /;
/** The mode in which shutdown(2) ends both directions. */
const SHUT_RDWR = 2;

/**
 * Watches a thread of this process until the signal is aborted.
 * @param thread The thread's number, which is the process's for the first thread.
 */
export async function freeThread(
  c: Pick<Libc, "shutdown">,
  thread: number,
  stopped: AbortSignal,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  stopped.addEventListener("abort", () => ended.resolve());
  let last: string | undefined, looks = 0, freedAt = -Infinity;
  const timer = setInterval(() => {
    const wait = waitOf(thread), now = performance.now();
    looks = wait !== undefined && wait === last ? looks + 1 : 0;
    last = wait;
    const { first, next } = STUCK_MS;
    if (!looks || looks * STUCK_LOOK_MS < timeByLoad(now - freedAt < SILENCE_MS ? next : first)) return;
    c.shutdown(descriptorOf(wait!), SHUT_RDWR);
    freedAt = now;
  }, STUCK_LOOK_MS);
  await ended.promise.finally(() => clearInterval(timer));
}

/**
 * The unlimited wait that a thread is in, and the number of times it has woken; undefined if it is in none.
 */
function waitOf(thread: number): string | undefined {
  const task = `self/task/${thread}`, call = readProc(`${task}/syscall`);
  if (!WAIT.test(call)) return undefined;
  return call + /^voluntary_ctxt_switches:\s*\d+$/m.exec(readProc(`${task}/status`))?.[0];
}

function descriptorOf(wait: string): number {
  const [, poll, ppoll] = WAIT.exec(wait)!;
  const pollfd = Deno.UnsafePointer.create(BigInt(`0x${poll ?? ppoll}`))!;
  return new Deno.UnsafePointerView(pollfd).getInt32(0);
}
