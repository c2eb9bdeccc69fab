/** Features of the session's portal, and the reason where they are not enough. No person is asked. */

import type { Bus } from "../../linux/dbus/bus.ts";
import type { RemoteObject } from "../../linux/dbus/objects.ts";
import { BusError } from "../../linux/dbus/errors.ts";
import {
  CURSOR_MODE,
  DEVICE,
  REMOTE_DESKTOP,
  RESTORING_VERSION,
  SCREEN_CAST,
  SERVICE,
  SOURCE,
} from "./names.ts";

/** Features of a portal; versions are 0 where an interface is missing. */
export interface Features {
  /** The unique name of the portal's connection; undefined if there is no portal. */
  owner: string | undefined;
  remoteDesktop: number;
  screenCast: number;
  /** Bits of {@linkcode DEVICE}. */
  devices: number;
  /** Bits of {@linkcode SOURCE}. */
  sources: number;
  /** Bits of {@linkcode CURSOR_MODE}. */
  cursorModes: number;
}

/**
 * Asks the portal for its features; the bus starts the portal if it does not run.
 * @throws DesktopUnavailableError if the bus or the portal does not answer.
 */
export function featuresOf(bus: Bus): Features {
  const owner = bus.owner(SERVICE, { start: true });
  const number = (object: RemoteObject, name: string) =>
    owner === undefined ? 0 : numberOf(bus, object, name);
  return {
    owner,
    remoteDesktop: number(REMOTE_DESKTOP, "version"),
    screenCast: number(SCREEN_CAST, "version"),
    devices: number(REMOTE_DESKTOP, "AvailableDeviceTypes"),
    sources: number(SCREEN_CAST, "AvailableSourceTypes"),
    cursorModes: number(SCREEN_CAST, "AvailableCursorModes"),
  };
}

/**
 * Tells why the portal cannot be used.
 * @returns The missing feature and the remedy; undefined if nothing is missing.
 */
export function missingOf(
  { owner, remoteDesktop, screenCast, devices, sources }: Features,
): string | undefined {
  if (owner === undefined) {
    return "has no desktop portal: install xdg-desktop-portal and the part of it that your desktop brings " +
      "(xdg-desktop-portal-gnome, xdg-desktop-portal-kde), then log in again";
  }
  if (!remoteDesktop || !screenCast) {
    const missing = remoteDesktop ? "ScreenCast" : "RemoteDesktop";
    return `has a desktop portal without ${missing}: the part of it that your desktop brings offers none, or is not ` +
      "installed (xdg-desktop-portal-gnome and xdg-desktop-portal-kde do; xdg-desktop-portal-gtk does not)";
  }
  const both = DEVICE.pointer | DEVICE.keyboard;
  if ((devices & both) !== both) return "has a desktop portal that passes no pointer or no keyboard on";
  if (!(sources & SOURCE.monitor)) return "has a desktop portal that shares no whole screens";
  return undefined;
}

/** Tells whether a consent can be kept for later starts. */
export function canRestore({ remoteDesktop }: Features): boolean {
  return remoteDesktop >= RESTORING_VERSION;
}

/**
 * The way in which pictures show the pointer: beside them if the portal can do that, since it gives the pointer's
 * place too.
 */
export function cursorModeOf({ cursorModes }: Features): number {
  return cursorModes & CURSOR_MODE.metadata || cursorModes & CURSOR_MODE.embedded;
}

/** Reads the version of an interface; 0 if the portal lacks it. */
function numberOf(bus: Bus, object: RemoteObject, name: string): number {
  try {
    return Number(bus.property(object, name)) || 0;
  } catch (error) {
    if (error instanceof BusError) return 0;
    throw error;
  }
}
