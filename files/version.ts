/** Telling files, and versions of one file, apart by what the system says of them. */

import { millisecondsOf } from "./times.ts";

/**
 * How long ago a file must have changed for its times to tell it from another version, in milliseconds: two writes
 * within one tick of a file system's clock leave the same time, and Deno (2.9.6) tells the time of the last change in
 * whole seconds.
 */
const SETTLED_MS = 2000;

/**
 * Whether a file's times are old enough that any later change would show in them. The time of modification alone can be
 * set to any, and to the same again; that of the last change (`st_ctime`, which Windows lacks) is the system's.
 * @param now Milliseconds since 1970.
 */
export function isSettled({ mtime, ctime }: Deno.FileInfo, now: number): boolean {
  return now - Math.max(millisecondsOf(mtime), millisecondsOf(ctime)) > SETTLED_MS;
}

/** What tells a file from all others that there are at one time. */
export type Identity = Pick<Deno.FileInfo, "dev" | "ino">;

/** Whether two looks saw one file. Windows has no inode numbers everywhere; null equals null there. */
export function isSame(a: Identity, b: Identity): boolean {
  return a.dev === b.dev && a.ino === b.ino;
}

/** Whether a file has not changed between two looks, as far as the system tells. */
export function isUnchanged(a: Deno.FileInfo, b: Deno.FileInfo): boolean {
  return isSame(a, b) && a.size === b.size &&
    millisecondsOf(a.mtime) === millisecondsOf(b.mtime) &&
    millisecondsOf(a.ctime) === millisecondsOf(b.ctime);
}
