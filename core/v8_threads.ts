/** V8's own threads of this process. */

import { libcFunctions } from "./binding.ts";
import { numbersIn, readProc } from "./proc.ts";

/** Name of V8's own threads, cut off as the system keeps it (PR_SET_NAME of prctl(2)). */
const V8_THREAD = "V8 DefaultWorke";

/**
 * Finds V8's own threads, which compile WebAssembly and help to collect garbage (proc_pid_task(5)).
 * @returns The threads' numbers; an empty list without /proc.
 * @throws Error without FFI.
 */
function v8Threads(): number[] {
  return numbersIn("self/task").filter((thread) =>
    readProc(`self/task/${thread}/comm`).trimEnd() === V8_THREAD
  );
}

// Priorities of threads, for when more threads have work than there are processors.

/**
 * The nice value of Workers with bulk work: a thread with 5 more than another gets a third of its time
 * (sched_prio_to_weight of Linux).
 */
const NICER = 5;

/**
 * Gives this thread a lower priority than the serving thread and the desktop's programs. For Workers with long bulk
 * work, such as archives; at equal priority an answer waits until Linux takes the processor from such a Worker, up to
 * 5 ms on 2 processors. Pictures and searches, for which agents wait, keep their priority: on a desktop whose
 * programs take all processors a search takes three times as long with a lower one.
 *
 * On Linux each thread has a nice value of its own (setpriority(2), "C library/kernel differences"), and may raise it
 * without any privilege. Elsewhere nothing changes.
 * @example
 * ```ts
 * lowerPriority();
 * answerCalls<string, number>((text) => text.length);
 * ```
 */
export function lowerPriority(): void {
  if (Deno.build.os !== "linux") return;
  try {
    libcFunctions({ nice: "i32 (i32 increment)" }).nice(NICER);
  } catch {
    // Without FFI the thread stays as it is.
  }
}

/** PRIO_PROCESS of <sys/resource.h>; on Linux it stands for a single thread. */
const PRIO_PROCESS = 0;

/**
 * Gives V8's own threads the priority of this one, after `lowerPriority()`: for a Worker that runs much WebAssembly.
 * These threads compile functions that run often (for the engine that reads text, 0.5 s of processor time), and would
 * otherwise delay the thread that serves.
 *
 * The threads keep this priority until the program ends, since raising it takes a privilege. They also help to
 * collect garbage, as before with idle processor time. Only Linux lets a thread do this.
 */
export function lowerCompilers(): void {
  if (Deno.build.os !== "linux") return;
  try {
    const { nice, setpriority } = libcFunctions({
      nice: "i32 (i32 increment)",
      setpriority: "i32 (i32, u32 thread, i32 nice value)",
    });
    const own = nice(0);
    for (const thread of v8Threads()) setpriority(PRIO_PROCESS, thread, own);
  } catch {
    // Without FFI the threads stay as they are.
  }
}

/** SCHED_IDLE of <linux/sched.h>: such a thread runs only on an idle processor (sched(7)). */
const SCHED_IDLE = 5;
/** THREAD_PRIORITY_IDLE of <winbase.h>. */
const THREAD_PRIORITY_IDLE = -15;

/**
 * Gives this thread the lowest priority of the machine: it stands still while other threads use all processors. For a
 * Worker whose work another Worker can take over. No privilege is needed.
 *
 * A nice value is not enough: on 2 processors with two threads at work an answer waits up to 6 ms with 5, 15 and 19,
 * since Linux lets the thread that runs finish its time, while one of SCHED_IDLE gives the processor away at once. On
 * macOS nothing changes.
 */
export function lowestPriority(): void {
  try {
    if (Deno.build.os === "windows") setIdleOnWindows();
    else if (Deno.build.os === "linux") setIdleOnLinux();
  } catch {
    // Without FFI the thread stays as it is.
  }
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
