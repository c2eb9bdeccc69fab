/** Names of Mutter's interfaces for remote control and screen recording, which are private to GNOME (mutter/data/dbus-interfaces). */

import { DesktopUnavailableError } from "../../../core/errors.ts";
import type { RemoteObject } from "../../linux/dbus/objects.ts";
import { BusError, ERROR_NAMES } from "../../linux/dbus/errors.ts";

/** The services, with the objects that make sessions. */
export const REMOTE_DESKTOP = service("RemoteDesktop");
export const SCREEN_CAST = service("ScreenCast");

/**
 * A session.
 * @param service The service that made the session.
 * @param path The answer of its `CreateSession`.
 */
export function sessionAt(service: RemoteObject, path: string): RemoteObject {
  return { ...service, path, interface: `${service.interface}.Session` };
}

/** `cursor-mode` of ScreenCast: the pointer comes beside the picture, with its place. */
export const CURSOR_METADATA = 2;

function service(name: string): RemoteObject {
  const own = `org.gnome.Mutter.${name}`;
  return { destination: own, path: `/org/gnome/Mutter/${name}`, interface: own };
}

/**
 * Rethrows the error of opening a session.
 * @throws DesktopUnavailableError if Mutter refuses because the screen is locked; other errors unchanged.
 */
export function refused(error: unknown): never {
  if (!(error instanceof BusError)) throw error;
  const isInhibited = error.errorName === ERROR_NAMES.accessDenied;
  throw new DesktopUnavailableError(
    isInhibited ? "GNOME lets nothing be controlled now: the screen is locked" : error.message,
  );
}
