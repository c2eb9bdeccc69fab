/**
 * The errors a person or a client is told about. Each is made where the fact is known and turned into text
 * in one place a door: the command line, the prompt, the HTTP handlers. Anything else thrown is a bug.
 */

/** The command line was wrong, or what it asks for cannot be had (a taken port, a missing folder): exit code 2. */
export class UsageError extends Error {
  override name = "UsageError";
}

/** There is no desktop to control; the message says what is missing and how to get it: exit code 3. */
export class NoDesktopError extends Error {
  override name = "NoDesktopError";
}

/** The desktop was there and is gone, or refuses (X server died, screen locked): 503 over HTTP. */
export class DesktopUnavailableError extends Error {
  override name = "DesktopUnavailableError";
}

/** What was asked of a desktop cannot be done as asked (a character no keyboard can type): 400 over HTTP. */
export class InputError extends Error {
  override name = "InputError";
}

/** An action that does not fit the present state (play with nothing recorded): 409 over HTTP. */
export class StateError extends Error {
  override name = "StateError";
}

/** A file changed while it was sent: what was sent is not completed from another version, the connection ends. */
export class FileChangedError extends Error {
  override name = "FileChangedError";
}

/** A request refused with a status of its own. */
export class RequestError extends Error {
  override name = "RequestError";
  /**
   * @param status HTTP status, 400 to 599.
   * @param message What was wrong and what is allowed; sent to the client as it is.
   * @param headers Further headers of the answer (`Allow`, `Retry-After`).
   */
  constructor(readonly status: number, message: string, readonly headers: Record<string, string> = {}) {
    super(message);
  }
}

/**
 * Why the system does not do what is asked with a file.
 * @param error What Deno threw.
 * @returns The reason alone: names of files are left to whoever tells it, since these may be made ones.
 */
export function describeFileError(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied) return "this user may not";
  // Deno gives such files to nobody whose permissions are listed, as those of an executable for Windows are.
  if (error instanceof Deno.errors.NotCapable) {
    return "what is in /dev, /proc and /sys is closed to deskhand, /dev/null apart";
  }
  return (error as Error).message.replace(/(\(os error \d+\)): [^]*/, "$1");
}
