/** Errors that a service answers instead of a result. */

import { DesktopUnavailableError } from "../../../core/errors.ts";

/** The service refused a call. Across threads it is a {@linkcode DesktopUnavailableError} with the same message. */
export class BusError extends DesktopUnavailableError {
  /**
   * @param errorName The error's name, such as `org.freedesktop.DBus.Error.AccessDenied`.
   * @param text The service's own message.
   * @param call The name of the call.
   */
  constructor(readonly errorName: string, readonly text: string, call: string) {
    super(`${call}: ${text || "refused"} (${errorName})`);
  }
}

/** Names of errors that callers ask for. */
export const ERROR_NAMES = {
  accessDenied: "org.freedesktop.DBus.Error.AccessDenied",
  noSuchService: "org.freedesktop.DBus.Error.ServiceUnknown",
  noOwner: "org.freedesktop.DBus.Error.NameHasNoOwner",
  limitsExceeded: "org.freedesktop.DBus.Error.LimitsExceeded",
  unknownMethod: "org.freedesktop.DBus.Error.UnknownMethod",
  unknownObject: "org.freedesktop.DBus.Error.UnknownObject",
} as const;

/**
 * The error of an answer that does not come.
 * @param what The thing that was waited for.
 * @param ms The time of the wait, in milliseconds.
 */
export function tooLate(what: string, ms: number): DesktopUnavailableError {
  return new DesktopUnavailableError(`${what}: no answer came in ${ms} ms`);
}
