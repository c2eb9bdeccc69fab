/** Threads, as proc(5) shows them: those of another program at rest, and one of this program that is stuck. */

import { delay } from "@std/async/delay";
import { readProc } from "../../core/proc.ts";
import type { Libc } from "./libc.ts";

/** The time between two looks, in milliseconds. */
const LOOK_MS = 2;

/** Bounds of a wait, in milliseconds. */
interface RestBounds {
  /** The time for which the threads do nothing. */
  quietMs: number;
  /** The longest wait. */
  mostMs: number;
}

/**
 * Waits until threads have handled what has reached them: what comes to a socket makes the thread that waits for it
 * want a processor at once.
 * @param threads Folders below /proc, such as `12` or `12/task/13`; those that are not there rest.
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

/** The state of a thread (proc(5)): `R` runs or wants a processor, `D` waits for a disk in the middle of its work. */
function stateOf(thread: string): string | undefined {
  return /\) (\w)/.exec(readProc(`${thread}/stat`))?.[1];
}

/**
 * The times for which a thread has run and has waited for a processor, and how often it ran
 * (Documentation/scheduler/sched-stats.rst of Linux); another text each time while the thread wants to run.
 */
function effort(thread: string): string {
  const state = stateOf(thread);
  return state === "R" || state === "D" ? `running ${performance.now()}` : readProc(`${thread}/schedstat`);
}

// Waits without an end of the thread that serves. Xlib waits for an answer in poll(2) without a limit: where the server
// stops within a call, files, health checks and signals would wait with it. A Worker looks at the thread, and shuts the
// socket that it waits for: the call fails as one to a server that is gone.

/** The time between two looks in milliseconds, and the looks in which a thread that has not woken counts as stuck. */
const STUCK_LOOK_MS = 500, LOOKS = 10;
/**
 * A wait for one descriptor without a limit, in /proc/PID/syscall (proc_pid_syscall(5)): poll(2) of x86-64, ppoll(2) of
 * arm64. The group is the address of its `struct pollfd`, which begins with the descriptor.
 */
const WAIT = /^(?:7 0x([0-9a-f]+) 0x1 0xffffffff|73 0x([0-9a-f]+) 0x1 0x0) /;
/** How shutdown(2) ends both directions. */
const SHUT_RDWR = 2;

/**
 * Watches a thread of this process until the signal is aborted.
 * @param thread Its number, that of the process for the first thread.
 */
export async function freeThread(
  c: Pick<Libc, "shutdown">,
  thread: number,
  stopped: AbortSignal,
): Promise<void> {
  const ended = Promise.withResolvers<void>();
  stopped.addEventListener("abort", () => ended.resolve());
  let last: string | undefined, looks = 0;
  const timer = setInterval(() => {
    const wait = waitOf(thread);
    looks = wait !== undefined && wait === last ? looks + 1 : 0;
    last = wait;
    if (looks === LOOKS) c.shutdown(descriptorOf(wait!), SHUT_RDWR);
  }, STUCK_LOOK_MS);
  await ended.promise.finally(() => clearInterval(timer));
}

/** The wait that a thread is in, and the number of times that it has woken; undefined if it does not wait so. */
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
