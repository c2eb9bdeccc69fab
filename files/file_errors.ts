/**
 * File system errors, by their meaning for a client. Threads that read folders load this without any pages.
 */

import { hasCode } from "../core/errors.ts";
import { RequestError } from "../http/request.ts";

/** Error codes (POSIX errno) that mean that the path leads to no file. */
const MISSING = ["ENOENT", "EACCES", "EPERM", "ENAMETOOLONG", "ELOOP", "ENOTDIR", "EINVAL"];

/** The error for everything that cannot be served; it does not reveal the reason. */
export function notFound(): RequestError {
  return new RequestError(404, "The requested resource was not found.");
}

/** Whether an error means that nothing can be read at the path, by its class or code (POSIX errno). */
export function isMissing(error: unknown): boolean {
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) return true;
  if (error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop) return true;
  if (error instanceof Deno.errors.InvalidData) return true; // a link to a name that is not valid Unicode
  if (error instanceof Deno.errors.NotCapable) return true; // /proc and the like, denied to executables
  return hasCode(error, MISSING);
}

/** Whether another program has locked the file (Win32 ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION). */
export function isBusy(error: unknown): boolean {
  return hasCode(error, ["EBUSY"]);
}

/**
 * Whether this process, or the system, cannot open more files for now (POSIX EMFILE, ENFILE). Such an error
 * must not be printed with its stack: the runtime (Deno 2.9.6) opens files to build the stack, fails, and
 * exits.
 */
export function isExhausted(error: unknown): boolean {
  return hasCode(error, ["EMFILE", "ENFILE"]);
}

/** Whether a disk or a user's quota is full, or a file is larger than its file system supports. */
export function isFull(error: unknown): boolean {
  return hasCode(error, ["ENOSPC", "EDQUOT", "EFBIG"]);
}

/** Whether this user has no write permission, or the file system is mounted read-only. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied || hasCode(error, ["EROFS", "EACCES", "EPERM"]);
}

/** Whether the file system rejects the file's name. */
export function isUnnamable(error: unknown): boolean {
  return hasCode(error, ["ENAMETOOLONG", "EINVAL", "EILSEQ"]);
}
