/** Files of /proc (proc(5)), read by the C library, since Deno does not let compiled executables read them. */

import { cString, openLibc } from "./libc.ts";

/** The most that is read of a file, in characters. */
const LIMIT = 4 << 20;

/**
 * Reads a file of /proc.
 * @param path Below /proc, such as `12/maps`.
 * @returns "" if it is not there, or of another user's process.
 */
export function readProc(path: string): string {
  const c = openLibc(), fd = c.open(cString(`/proc/${path}`), 0), decoder = new TextDecoder();
  if (fd < 0) return "";
  const bytes = new Uint8Array(65_536);
  let text = "";
  try {
    while (text.length < LIMIT) {
      const count = Number(c.read(fd, bytes, BigInt(bytes.length)));
      if (count <= 0) break;
      text += decoder.decode(bytes.subarray(0, count), { stream: true });
    }
    return text;
  } finally {
    c.close(fd);
  }
}

/** The programs that wanted to run at a time in the last minute (proc_loadavg(5)), for each processor; 0 if that is not known. */
export function loadPerProcessor(): number {
  return (Number(readProc("loadavg").split(" ")[0]) || 0) / navigator.hardwareConcurrency;
}
