/** Tells files, and versions of one file, apart by the system's information about them. */

import { type Identity, isSame } from "../core/folder_handle.ts";

export { type Identity, isSame };

// Times of files, which may be outside of the range of a Date (ECMAScript section 21.4.1.1: 100,000,000
// days).

/** Milliseconds since 1970; 0 if the system has no time, or a time outside of JavaScript's range. */
export function millisecondsOf(time: Date | null): number {
  return time?.getTime() || 0; // NaN outside of the range
}

/** Milliseconds since 1970; null if the system has no time, or a time outside of JavaScript's range. */
export function millisecondsOrNull(time: Date | null): number | null {
  const milliseconds = time?.getTime() ?? NaN;
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/**
 * The age of a file's last change from which its times tell it from another version, in milliseconds: two writes within
 * one tick of a file system's clock leave the same time, and Deno (2.9.6) reports the time of the last change in whole
 * seconds.
 */
const STRONG_AFTER_MS = 2000;

/**
 * Whether a file's times are old enough that any later change shows in them, so that a validator made of them
 * is a strong one. Any program can set the time of modification, also to its old value; only the system sets the time
 * of the last change (`st_ctime`).
 * @param now Milliseconds since 1970.
 */
export function hasStrongValidator(
  { mtime, ctime }: Pick<FileVersion, "mtime" | "ctime">,
  now: number,
): boolean {
  const modified = modifiedOf({ mtime, ctime });
  return isLongAgo(Math.max(modified, millisecondsOf(ctime)), now);
}

/**
 * The time of a file's modification, in milliseconds since 1970. A time ahead of the last change was set by a program, to
 * a time in the future: the last change, whose time only the system sets, stands for it.
 */
export function modifiedOf({ mtime, ctime }: Pick<FileVersion, "mtime" | "ctime">): number {
  const modified = millisecondsOf(mtime), changed = millisecondsOf(ctime);
  return changed && modified - changed >= 1000 ? changed : modified; // Deno's ctime may be in whole seconds
}

/**
 * Whether any change after a time shows in the times that a file system reports; both in milliseconds since 1970.
 */
export function isLongAgo(changed: number, now: number): boolean {
  return now - changed > STRONG_AFTER_MS;
}

/** Identifies one version of a file. */
export type FileVersion = Identity & Pick<Deno.FileInfo, "size" | "mtime" | "ctime">;

/** Whether a path led to the same file, unchanged, at two moments, as far as the system reports. */
export function isUnchanged(a: FileVersion, b: FileVersion): boolean {
  return isSame(a, b) && hasSameContent(a, b) && millisecondsOf(a.ctime) === millisecondsOf(b.ctime);
}

/**
 * Whether an open file had the same content at two moments, as far as its size and time of modification show. The
 * time of the last change is ignored: it also moves when the file gets another name or other rights, or is removed.
 */
export function hasSameContent(
  a: Pick<FileVersion, "size" | "mtime">,
  b: Pick<FileVersion, "size" | "mtime">,
): boolean {
  return a.size === b.size && millisecondsOf(a.mtime) === millisecondsOf(b.mtime);
}
