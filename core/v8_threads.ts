/** V8's own threads of this process. */

import { numbersIn, readProc } from "./proc.ts";

/** Name of V8's own threads, cut off as the system keeps it (PR_SET_NAME of prctl(2)). */
const V8_THREAD = "V8 DefaultWorke";

/**
 * Finds V8's own threads, which compile WebAssembly and help to collect garbage (proc_pid_task(5)).
 * @returns The threads' numbers; an empty list without /proc.
 * @throws Error without FFI.
 */
export function v8Threads(): number[] {
  return numbersIn("self/task").filter((thread) =>
    readProc(`self/task/${thread}/comm`).trimEnd() === V8_THREAD
  );
}
