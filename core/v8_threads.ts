/** V8's own threads of this process, found by the C library: executables of deskhand may not read /proc in Deno's terms. */

import { cString, libcFunctions } from "./libc.ts";
import { readProc } from "./proc.ts";

/** Name of V8's own threads, cut off as the system keeps it (PR_SET_NAME of prctl(2)). */
const V8_THREAD = "V8 DefaultWorke";
/** Offset of the name in struct dirent of <dirent.h>, with glibc and musl on x86_64 and aarch64, in bytes. */
const NAME_AT = 19;

const C = libcFunctions({
  opendir: { parameters: ["buffer" /* char *name */], result: "pointer" },
  readdir: { parameters: ["pointer"], result: "pointer" },
  closedir: { parameters: ["pointer"], result: "i32" },
});

/**
 * Finds V8's own threads, which compile WebAssembly and help to collect garbage (proc_pid_task(5)).
 * @returns The threads' numbers; an empty list without /proc.
 * @throws Error without FFI.
 */
export function v8Threads(): number[] {
  const folder = C.opendir(cString("/proc/self/task"));
  if (!folder) return [];
  const threads: number[] = [];
  try {
    for (let entry = C.readdir(folder); entry; entry = C.readdir(folder)) {
      const thread = Number(Deno.UnsafePointerView.getCString(entry, NAME_AT));
      if (thread && readProc(`self/task/${thread}/comm`).trimEnd() === V8_THREAD) threads.push(thread);
    }
    return threads;
  } finally {
    C.closedir(folder);
  }
}
