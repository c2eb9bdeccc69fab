/** V8's own threads of this process, found by the C library: executables of deskhand may not read /proc in Deno's terms. */

import { cString, libcFunctions } from "./libc.ts";

/** Name of V8's own threads, cut off as the system keeps it (PR_SET_NAME of prctl(2)). */
const V8_THREAD = "V8 DefaultWorke";
/** The longest name of a thread, with its line feed, in bytes. */
const LONGEST_NAME = 16;
/** Offset of the name in struct dirent of <dirent.h>, with glibc and musl on x86_64 and aarch64, in bytes. */
const NAME_AT = 19;

const C = libcFunctions({
  opendir: { parameters: ["buffer" /* char *name */], result: "pointer" },
  readdir: { parameters: ["pointer"], result: "pointer" },
  closedir: { parameters: ["pointer"], result: "i32" },
  open: { parameters: ["buffer", /* char *path */ "i32" /* flags */], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
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
      if (thread && nameOf(thread) === V8_THREAD) threads.push(thread);
    }
    return threads;
  } finally {
    C.closedir(folder);
  }
}

/** The name of a thread; "" if it has ended. */
function nameOf(thread: number): string {
  const file = C.open(cString(`/proc/self/task/${thread}/comm`), 0), name = new Uint8Array(LONGEST_NAME);
  if (file < 0) return "";
  const length = Number(C.read(file, name, BigInt(name.length)));
  C.close(file);
  return new TextDecoder().decode(name.subarray(0, Math.max(0, length))).trimEnd();
}
