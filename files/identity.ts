/** Distinguishes files, and versions of one file, by their metadata. */

import { type Identity, isSame } from "../core/folder_handle.ts";

export { type Identity, isSame };

// File times, which may be outside of the range of a Date (ECMAScript section 21.4.1.1: 100,000,000 days).

/** Milliseconds since 1970; 0 if the system reports no time, or one outside of JavaScript's range. */
export function millisecondsOf(time: Date | null): number {
  return time?.getTime() || 0; // NaN outside of the range
}

/** Milliseconds since 1970; null if the system reports no time, or one outside of JavaScript's range. */
export function millisecondsOrNull(time: Date | null): number | null {
  const milliseconds = time?.getTime() ?? NaN;
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

/**
 * The age of a file's last change at which its times distinguish it from any other version, in milliseconds:
 * two writes within one tick of a file system's clock leave the same time, and Deno (2.9.6) reports the
 * status change time in whole seconds.
 */
const STRONG_AFTER_MS = 2000;

/**
 * Whether a file's times are old enough to reveal any later change, so that a validator derived from them is
 * strong. Any program can set the modification time, even to its old value; only the system sets the status
 * change time (`st_ctime`).
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
 * A file's modification time, in milliseconds since 1970. A modification time later than the status change
 * time was set by a program, to a time in the future; the status change time, which only the system sets,
 * then replaces it.
 */
export function modifiedOf({ mtime, ctime }: Pick<FileVersion, "mtime" | "ctime">): number {
  const modified = millisecondsOf(mtime), changed = millisecondsOf(ctime);
  return changed && modified - changed >= 1000 ? changed : modified; // Deno's ctime may be in whole seconds
}

/**
 * Whether a file system's times would reveal any further change. Both times are in milliseconds since 1970.
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
 * Whether an open file had the same content at two moments, as far as its size and modification time show.
 * The status change time is ignored: it also changes when the file is renamed, removed or gets other
 * permissions.
 */
export function hasSameContent(
  a: Pick<FileVersion, "size" | "mtime">,
  b: Pick<FileVersion, "size" | "mtime">,
): boolean {
  return a.size === b.size && millisecondsOf(a.mtime) === millisecondsOf(b.mtime);
}
