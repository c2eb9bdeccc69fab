/** This process's V8 threads. */

import { libcFunctions } from "./binding.ts";
import { attempt } from "./errors.ts";
import { numbersIn, readProc } from "./proc.ts";

/** Name of V8's own threads, truncated by the system (PR_SET_NAME in prctl(2)). */
const V8_THREAD = "V8 DefaultWorke";

/**
 * Finds V8's own threads, which compile WebAssembly and help with garbage collection (proc_pid_task(5)).
 * @returns The thread IDs; an empty list without /proc.
 * @throws Error without FFI.
 */
function v8Threads(): number[] {
  return numbersIn("self/task").filter((thread) =>
    readProc(`self/task/${thread}/comm`).trimEnd() === V8_THREAD
  );
}

// Thread priorities, for when more threads are busy than there are processors.

/**
 * The nice value of Workers with bulk work: a thread with a value 5 higher than another gets a third of its
 * time (Linux: sched_prio_to_weight).
 */
const NICER = 5;

/**
 * Gives this thread a lower priority than the serving thread and the desktop's programs. For Workers with
 * long bulk work, such as archives; at equal priority a response waits until Linux takes the processor from
 * such a Worker, up to 5 ms on 2 processors. Screenshots and searches, for which agents wait, retain their
 * priority: on a desktop whose programs use all processors, a search takes three times as long with a lower
 * one.
 *
 * On Linux each thread has its own nice value (setpriority(2), "C library/kernel differences"), and may raise
 * it without privileges. On other systems this does nothing.
 * @example
 * ```ts
 * lowerPriority();
 * answerCalls<string, number>((text) => text.length);
 * ```
 */
export function lowerPriority(): void {
  if (Deno.build.os !== "linux") return;
  // Without FFI, the priority stays unchanged.
  attempt(() => libcFunctions({ nice: "i32 (i32 increment)" }).nice(NICER));
}

/** PRIO_PROCESS in <sys/resource.h>; on Linux it refers to a single thread. */
const PRIO_PROCESS = 0;

/**
 * Gives V8's own threads the same priority as this one, after `lowerPriority()`: for a Worker that runs much
 * WebAssembly. V8's threads compile frequently run functions (for the OCR engine, 0.5 s of CPU time), and
 * would otherwise delay the serving thread.
 *
 * The threads keep this priority until the program exits, because raising it again requires a privilege. They
 * still help with garbage collection, using idle CPU time as before. Only Linux supports this.
 */
export function lowerCompilers(): void {
  if (Deno.build.os !== "linux") return;
  attempt(() => { // without FFI, the priorities stay unchanged
    const { nice, setpriority } = libcFunctions({
      nice: "i32 (i32 increment)",
      setpriority: "i32 (i32, u32 thread, i32 nice value)",
    });
    const own = nice(0);
    for (const thread of v8Threads()) setpriority(PRIO_PROCESS, thread, own);
  });
}

/** SCHED_IDLE in <linux/sched.h>: such a thread runs only on an idle processor (sched(7)). */
const SCHED_IDLE = 5;
/** THREAD_PRIORITY_IDLE in <winbase.h>. */
const THREAD_PRIORITY_IDLE = -15;

/**
 * Gives this thread the lowest priority on the machine: it does not run while other threads use all
 * processors. For a Worker whose work another Worker can take over. Requires no privileges.
 *
 * A nice value is not enough: on 2 processors with two busy threads, a response waits up to 6 ms at nice
 * values of 5, 15 and 19, because Linux lets the running thread use up its time slice, whereas a SCHED_IDLE
 * thread yields the processor immediately. On macOS this does nothing.
 */
export function lowestPriority(): void {
  // Without FFI, the priority stays unchanged.
  if (Deno.build.os === "windows") attempt(setIdleOnWindows);
  else if (Deno.build.os === "linux") attempt(setIdleOnLinux);
}

function setIdleOnLinux(): void {
  const { sched_setscheduler } = libcFunctions({
    sched_setscheduler: "i32 (i32 thread; 0: the caller, i32, buffer struct sched_param *)",
  });
  sched_setscheduler(0, SCHED_IDLE, new Int32Array(1)); // its priority is always 0
}

function setIdleOnWindows(): void {
  const { symbols } = Deno.dlopen("kernel32.dll", {
    GetCurrentThread: { parameters: [], result: "pointer" },
    SetThreadPriority: { parameters: ["pointer", "i32"], result: "i32" /* BOOL */ },
  });
  symbols.SetThreadPriority(symbols.GetCurrentThread(), THREAD_PRIORITY_IDLE);
}
