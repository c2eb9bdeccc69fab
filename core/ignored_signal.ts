/** Signals that this program ignores because its parent did, as nohup(1) has it. */

import { libcFunctions } from "./libc.ts";

/**
 * `struct sigaction` of signal.h. The handler comes first, at offset 0 and 8 bytes long: in glibc and musl on x86-64 and
 * aarch64 (152 bytes: handler 0, sa_mask 8, sa_flags 136, sa_restorer 144), and on macOS (16 bytes).
 */
const SIGACTION_WORDS = 152 / 8;
/** SIG_IGN of signal.h, on all of these systems. */
const SIG_IGN = 1n;

/**
 * Tells whether a signal is ignored. Deno shows the list of /proc/self/status only to programs that may do everything;
 * sigaction(2) needs FFI alone. To load the C library takes 1 ms.
 *
 * Call this before the first listener for the signal, which replaces the parent's choice.
 * @param number The signal's number.
 * @returns false also where the system does not tell, as on Windows.
 */
export function isIgnored(number: number): boolean {
  if (Deno.build.os === "windows") return false;
  const old = new BigUint64Array(SIGACTION_WORDS);
  try {
    const { sigaction } = libcFunctions({
      sigaction: { parameters: ["i32", /* act: NULL */ "pointer", /* oldact */ "buffer"], result: "i32" },
    });
    const result = sigaction(number, null, old);
    return result === 0 && old[0] === SIG_IGN;
  } catch {
    return false;
  }
}
