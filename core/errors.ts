/**
 * Errors whose messages are meant for people and clients. Each is thrown where the fact is known, and turned
 * into a status, a line or a message in one place per interface: the command line, the prompt, HTTP, the live
 * socket. Anything else that is thrown is a bug. Messages name the given file or value, and contain only
 * printable characters, because terminals and clients show them.
 */

import { printable } from "./printable.ts";

/**
 * The command line is invalid, or asks for something unavailable (taken port, missing folder): exit code 2.
 */
export class UsageError extends Error {
  override name = "UsageError";

  constructor(message: string, options?: ErrorOptions) {
    super(printable(message, Infinity), options);
  }
}

/** A failure that is not a bug in deskhand. The message says what is wrong and what is allowed. */
export class ExpectedError extends Error {
  override name = "ExpectedError";

  constructor(message: string, options?: ErrorOptions) {
    super(printable(message, Infinity), options);
  }
}

/** The input is invalid: a field, a file, a character that no keyboard can type. */
export class InputError extends ExpectedError {
  override name = "InputError";
}

/** The action is not possible in the current state, such as play with nothing recorded. */
export class StateError extends ExpectedError {
  override name = "StateError";
}

/** The action would need the user's pointer, focus or front window, which its caller does not let it take. */
export class ForegroundError extends StateError {
  override name = "ForegroundError";

  /** @param reason The reason, to follow the keyword by which programs recognize this error. */
  constructor(reason: string) {
    super(`needs_foreground: ${reason.replace(/^needs_foreground: /, "")}`);
  }
}

/**
 * The screen no longer looks like the picture in which the caller chose where to press; nothing was pressed.
 */
export class ChangedError extends StateError {
  override name = "ChangedError";
  /** The new picture as a PNG file, if the caller asked for it. */
  picture?: Uint8Array<ArrayBuffer>;

  /**
   * @param reason The reason, to follow the keyword by which programs recognize this error.
   * @param regions The regions that changed, in desktop pixels.
   */
  constructor(
    reason: string,
    readonly regions: readonly { x: number; y: number; width: number; height: number }[] = [],
  ) {
    super(`changed: ${reason.replace(/^changed: /, "")}`);
  }
}

/** Too many calls are in progress; the same call may succeed later. */
export class BusyError extends ExpectedError {
  override name = "BusyError";
}

/** Nothing with the requested name exists, such as a window title. */
export class NotFoundError extends ExpectedError {
  override name = "NotFoundError";
}

/** The settings do not allow the action, such as a click under `--read-only`. */
export class ForbiddenError extends ExpectedError {
  override name = "ForbiddenError";
}

/** A condition did not come true within the requested time. */
export class TimeLimitError extends ExpectedError {
  override name = "TimeLimitError";
}

/** The message for what the end of the program interrupts or rejects. */
export const STOPPING = "deskhand is stopping";

/** An action did not finish within its own time limit; the message says what it waited for. */
export class OverdueError extends ExpectedError {
  override name = "OverdueError";
}

/** This desktop lacks a feature that the action needs, such as the log of a virtual desktop. */
export class UnsupportedError extends ExpectedError {
  override name = "UnsupportedError";
}

/** The desktop has stopped responding: its server has died, the screen is locked, or input is refused. */
export class DesktopUnavailableError extends ExpectedError {
  override name = "DesktopUnavailableError";
}

/** There is no desktop to control: exit code 3. The message says what is missing and how to get it. */
export class NoDesktopError extends ExpectedError {
  override name = "NoDesktopError";
}

/**
 * A file changed while it was being sent. The connection is closed, so that no response mixes two versions.
 */
export class FileChangedError extends ExpectedError {
  override name = "FileChangedError";
}

/** An error in the form in which threads exchange it, because cloning loses the class. */
export interface PlainError {
  name: string;
  message: string;
}

const BY_NAME: Record<string, new (message: string) => Error> = {
  InputError,
  StateError,
  ForegroundError,
  ChangedError,
  BusyError,
  NotFoundError,
  ForbiddenError,
  TimeLimitError,
  OverdueError,
  UnsupportedError,
  DesktopUnavailableError,
  NoDesktopError,
  FileChangedError,
};

/** Converts an error, or any other thrown value, to plain data. */
export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  return { name: error.name, message: error.message };
}

/**
 * The error that {@linkcode plainError} was given: with the same class if it was an ExpectedError or an
 * AbortError, otherwise with only the same name.
 */
export function rebuiltError({ name, message }: PlainError): Error {
  if (name === "AbortError") return new DOMException(message, name);
  const Expected = BY_NAME[name];
  return Expected ? new Expected(message) : Object.assign(new Error(message), { name });
}

/**
 * Describes why the system refused a file operation.
 * @param error Deno's error.
 * @returns The reason, without the file name, which the caller knows and prints safely.
 */
export function describeFileError(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  // Deno denies these paths to programs with limited permissions, such as compiled executables.
  if (error instanceof Deno.errors.NotCapable) {
    return "deskhand cannot access files in /dev, /proc and /sys, except /dev/null";
  }
  return (error as Error).message.replace(/(\(os error \d+\)): [^]*/, "$1");
}

/**
 * Returns a handler for a promise's errors that replaces those of one kind with a value, and throws the
 * others.
 * @example
 * await Promise.reject(new StateError("busy")).catch(on(ExpectedError, "none")); // "none"
 */
export function on<V = undefined>(
  kind: abstract new (...args: never[]) => Error,
  value?: V,
): (error: unknown) => V {
  return (error) => {
    if (error instanceof kind) return value as V;
    throw error;
  };
}

/**
 * Runs a function that may fail for an unimportant reason, such as a missing file.
 * @param otherwise The result if it throws; defaults to undefined.
 * @param kind The errors that `otherwise` replaces; all if omitted. Others are thrown.
 * @example
 * attempt(() => JSON.parse("{"), "no JSON"); // "no JSON"
 */
export function attempt<T, O = undefined>(
  run: () => T,
  otherwise?: O,
  kind?: abstract new (...args: never[]) => Error,
): T | O {
  try {
    return run();
  } catch (error) {
    if (!kind || error instanceof kind) return otherwise as O;
    throw error;
  }
}

/** Whether an error has one of these codes (POSIX errno names). */
export function hasCode(error: unknown, codes: readonly string[]): boolean {
  return codes.includes((error as { code?: string }).code ?? "");
}

/** Whether the file system has no such operation, such as writing to a file that is open for reading, too. */
export function isUnsupported(error: unknown): boolean {
  return error instanceof Deno.errors.NotSupported ||
    hasCode(error, ["EBADF", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);
}
