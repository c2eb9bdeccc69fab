/**
 * The errors whose messages are meant for people and clients. Each is thrown where the fact is known, and turned into
 * a status, a line or a message in one place per interface: the command line, the prompt, HTTP, the live socket.
 * Anything else that is thrown is a bug. Messages name the given file or value. Since terminals and clients show the
 * messages, they hold printable characters alone.
 */

import { printable } from "./printable.ts";

/** The command line is wrong, or what it asks for is unavailable (a taken port, a missing folder): exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";

  constructor(message: string, options?: ErrorOptions) {
    super(printable(message, Infinity), options);
  }
}

/** A failure that is no bug of deskhand. The message says what was wrong and what is allowed. */
export class ExpectedError extends Error {
  override name = "ExpectedError";

  constructor(message: string, options?: ErrorOptions) {
    super(printable(message, Infinity), options);
  }
}

/** The input is wrong: a field, a file, a character that no keyboard can type. */
export class InputError extends ExpectedError {
  override name = "InputError";
}

/** The action does not fit the present state, such as play with nothing recorded. */
export class StateError extends ExpectedError {
  override name = "StateError";
}

/** The action would need the person's pointer, focus or front window, which its caller keeps from it. */
export class ForegroundError extends StateError {
  override name = "ForegroundError";

  /** @param reason The reason, behind the word by which programs know this error. */
  constructor(reason: string) {
    super(`needs_foreground: ${reason.replace(/^needs_foreground: /, "")}`);
  }
}

/** The screen is not as the picture showed it in which the caller chose the place of a press; nothing was pressed. */
export class ChangedError extends StateError {
  override name = "ChangedError";
  /** The new picture, a PNG file, where the caller wants it. */
  picture?: Uint8Array<ArrayBuffer>;

  /**
   * @param reason The reason, behind the word by which programs know this error.
   * @param regions The parts that changed, in pixels of the desktop.
   */
  constructor(
    reason: string,
    readonly regions: readonly { x: number; y: number; width: number; height: number }[] = [],
  ) {
    super(`changed: ${reason.replace(/^changed: /, "")}`);
  }
}

/** Too much is going on; the same call may succeed later. */
export class BusyError extends ExpectedError {
  override name = "BusyError";
}

/** Nothing has the name that was asked for, such as a window's title. */
export class NotFoundError extends ExpectedError {
  override name = "NotFoundError";
}

/** The settings do not allow the action, such as a click under `--read-only`. */
export class ForbiddenError extends ExpectedError {
  override name = "ForbiddenError";
}

/** A wait whose condition did not come true in time. */
export class TimeLimitError extends ExpectedError {
  override name = "TimeLimitError";
}

/** An action that did not end within its own bound; the message says what it waited for. */
export class OverdueError extends ExpectedError {
  override name = "OverdueError";
}

/** This desktop lacks the part that the action needs, such as the log of a virtual desktop. */
export class UnsupportedError extends ExpectedError {
  override name = "UnsupportedError";
}

/** The desktop was there and does not answer now: its server died, the screen is locked, input is refused. */
export class DesktopUnavailableError extends ExpectedError {
  override name = "DesktopUnavailableError";
}

/** There is no desktop to control. The message says what is missing and how to get it: exit code 3. */
export class NoDesktopError extends ExpectedError {
  override name = "NoDesktopError";
}

/** A file changed while it was sent. The connection ends, so that no answer mixes two versions. */
export class FileChangedError extends ExpectedError {
  override name = "FileChangedError";
}

/** An error as threads send it to each other: a clone loses the class. */
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

/** Turns an error, or any other thrown value, into plain data. */
export function plainError(error: unknown): PlainError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  return { name: error.name, message: error.message };
}

/**
 * The error that {@linkcode plainError} was made from: of the same class if the error is an ExpectedError or that of an
 * aborted signal, otherwise with the same name alone.
 */
export function rebuiltError({ name, message }: PlainError): Error {
  if (name === "AbortError") return new DOMException(message, name);
  const Expected = BY_NAME[name];
  return Expected ? new Expected(message) : Object.assign(new Error(message), { name });
}

/**
 * Describes why the system refuses a file operation.
 * @param error Deno's error.
 * @returns The reason without the file's name, which the caller knows and prints safely.
 */
export function describeFileError(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  // Deno refuses these paths to programs whose permissions are listed, such as the compiled executables.
  if (error instanceof Deno.errors.NotCapable) {
    return "deskhand cannot access files in /dev, /proc and /sys, except /dev/null";
  }
  return (error as Error).message.replace(/(\(os error \d+\)): [^]*/, "$1");
}

/**
 * Makes a handler of a promise's errors that gives a value in place of those of one kind, and throws the others.
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
 * Runs what may fail for a reason that does not matter, such as a missing file.
 * @param otherwise The result if it throws; undefined if left out.
 * @example
 * attempt(() => JSON.parse("{"), "no JSON"); // "no JSON"
 */
export function attempt<T, O = undefined>(run: () => T, otherwise?: O): T | O {
  try {
    return run();
  } catch {
    return otherwise as O;
  }
}
