/** Names and numbers of the desktop portal (XDG Desktop Portal, "API Reference"). */

import type { RemoteObject } from "../../linux/dbus/objects.ts";

/** The service of all portals. */
export const SERVICE = "org.freedesktop.portal.Desktop";
const PATH = "/org/freedesktop/portal/desktop";
/** The service of GNOME's compositor for remote control, whose presence shows that the portal is GNOME's. */
export const MUTTER = "org.gnome.Mutter.RemoteDesktop";

/** Interfaces of the portal's object. */
export const REMOTE_DESKTOP = portal("RemoteDesktop");
export const SCREEN_CAST = portal("ScreenCast");

/** Interfaces of the objects that the portal makes. */
export const REQUEST = "org.freedesktop.portal.Request";
export const SESSION = "org.freedesktop.portal.Session";

/** Bits of `types` and `devices` of RemoteDesktop. */
export const DEVICE = { keyboard: 1, pointer: 2 } as const;
/** Bits of `types` of ScreenCast. */
export const SOURCE = { monitor: 1 } as const;
/** Bits of `cursor_mode` of ScreenCast: drawn into the picture, or beside it with its place. */
export const CURSOR_MODE = { embedded: 2, metadata: 4 } as const;
/** `persist_mode`: the consent lasts until the person takes it back. */
export const PERSIST_UNTIL_REVOKED = 2;
/** The version from which RemoteDesktop gives a token that restores the consent. */
export const RESTORING_VERSION = 2;
/** Answers to a request. */
export const RESPONSE = { success: 0, cancelled: 1 } as const;

function portal(name: string): RemoteObject {
  return { destination: SERVICE, path: PATH, interface: `org.freedesktop.portal.${name}` };
}

/**
 * The object of a request, which the portal makes when a method is called.
 * @param busName The caller's unique name.
 * @param token The caller's word for the request.
 * @example
 * requestPath(":1.42", "one"); // "/org/freedesktop/portal/desktop/request/1_42/one"
 */
export function requestPath(busName: string, token: string): string {
  return `${PATH}/request/${busName.slice(1).replaceAll(".", "_")}/${token}`;
}
