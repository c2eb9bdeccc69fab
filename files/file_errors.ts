/** Errors of the file system, by their meaning for a client. Threads that read folders load them, and no pages. */

import { RequestError } from "../http/request.ts";

/** Codes (POSIX errno) that mean that no file has that path. */
const MISSING = ["ENOENT", "EACCES", "EPERM", "ENAMETOOLONG", "ELOOP", "ENOTDIR", "EINVAL"];

/** Makes the answer for everything that cannot be served: it does not tell why. */
export function notFound(): RequestError {
  return new RequestError(404, "The requested resource was not found.");
}

/** Whether an error means that nothing can be read under that path, by its class or code (POSIX errno). */
export function isMissing(error: unknown): boolean {
  if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied) return true;
  if (error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop) return true;
  if (error instanceof Deno.errors.InvalidData) return true; // a link to a name that is not valid Unicode
  if (error instanceof Deno.errors.NotCapable) return true; // /proc and the like, which Deno closes to executables
  return hasCode(error, MISSING);
}

/** Whether another program has locked the file (Win32 ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION). */
export function isBusy(error: unknown): boolean {
  return hasCode(error, ["EBUSY"]);
}

/**
 * Whether this process, or the system, may open no more files for now (POSIX EMFILE, ENFILE). Such an error
 * must not be printed with its stack: the runtime (Deno 2.9.6) has to open files for the stack, fails, and ends the
 * process.
 */
export function isExhausted(error: unknown): boolean {
  return hasCode(error, ["EMFILE", "ENFILE"]);
}

/** Whether a disk, or a user's share of it, is full, or a file is larger than its file system allows. */
export function isFull(error: unknown): boolean {
  return hasCode(error, ["ENOSPC", "EDQUOT", "EFBIG"]);
}

/** Whether writing is forbidden to this user, or to all, since the file system is mounted read-only. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Deno.errors.PermissionDenied || hasCode(error, ["EROFS", "EACCES", "EPERM"]);
}

/** Whether the file system refuses the file's name. */
export function isUnnamable(error: unknown): boolean {
  return hasCode(error, ["ENAMETOOLONG", "EINVAL", "EILSEQ"]);
}

/** Whether an error has one of these codes, which are names of POSIX errno. */
export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes((error as { code?: string }).code ?? "");
}
