/**
 * The features of the session's portal, and why they are insufficient; nobody is asked. The portal's restore
 * token restores a consent without asking. Each token is valid for one start, whose answer contains the next
 * token. Every program of this user can use it, so it is stored like the API's token: in the user's state
 * folder, closed to other users.
 */

import { readSmallFile } from "../../../core/bytes.ts";
import { join } from "../../../core/path.ts";
import {
  askState,
  checkOwn,
  isStateSilent,
  replaceFile,
  stateDisk,
  stateFile,
  stateFolder,
} from "../../../core/state_files.ts";
import type { Bus } from "../../linux/dbus/bus.ts";
import { attempt } from "../../../core/errors.ts";
import { BusError } from "../../linux/dbus/channel.ts";
import type { RemoteObject } from "../../linux/dbus/message.ts";

// Names and numbers in the desktop portal (XDG Desktop Portal, "API Reference").

/** The service for all portals. */
export const SERVICE = "org.freedesktop.portal.Desktop";
const PATH = "/org/freedesktop/portal/desktop";
/** The remote control service of GNOME's compositor, whose presence shows that the portal is GNOME's. */
export const MUTTER = "org.gnome.Mutter.RemoteDesktop";

/** Interfaces of the portal's object. */
export const REMOTE_DESKTOP = portal("RemoteDesktop");
export const SCREEN_CAST = portal("ScreenCast");

/** Interfaces of objects created by the portal. */
export const REQUEST = "org.freedesktop.portal.Request";
export const SESSION = "org.freedesktop.portal.Session";

/** Bits of `types` and `devices` in RemoteDesktop. */
export const DEVICE = { keyboard: 1, pointer: 2 } as const;
/** Bits of `types` in ScreenCast. */
export const SOURCE = { monitor: 1 } as const;
/** Bits of `cursor_mode` in ScreenCast: drawn into the picture, or delivered separately with its position. */
export const CURSOR_MODE = { embedded: 2, metadata: 4 } as const;
/** `persist_mode`: the consent lasts until the person revokes it. */
export const PERSIST_UNTIL_REVOKED = 2;
/** The version from which RemoteDesktop returns a token that restores the consent. */
const RESTORING_VERSION = 2;
/** Responses to a request. */
export const RESPONSE = { success: 0, cancelled: 1 } as const;

function portal(name: string): RemoteObject {
  return { destination: SERVICE, path: PATH, interface: `org.freedesktop.portal.${name}` };
}

/**
 * The path of a request's object, which the portal creates when a method is called.
 * @param busName The caller's unique name.
 * @param token The caller's token for the request.
 * @example
 * requestPath(":1.42", "one"); // "/org/freedesktop/portal/desktop/request/1_42/one"
 */
export function requestPath(busName: string, token: string): string {
  return `${PATH}/request/${busName.slice(1).replaceAll(".", "_")}/${token}`;
}

/** A portal's features; versions are 0 if an interface is missing. */
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
 * Queries the portal's features; the bus starts the portal if it is not running.
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
 * Why the portal cannot be used.
 * @returns The missing feature and the remedy; undefined if nothing is missing.
 */
export function missingOf(
  { owner, remoteDesktop, screenCast, devices, sources }: Features,
): string | undefined {
  if (owner === undefined) {
    return "has no desktop portal: install xdg-desktop-portal and the backend for your desktop " +
      "(xdg-desktop-portal-gnome, xdg-desktop-portal-kde), then log in again";
  }
  if (!remoteDesktop || !screenCast) {
    const missing = remoteDesktop ? "ScreenCast" : "RemoteDesktop";
    return `has a desktop portal without ${missing}: the backend for your desktop does not offer it, or is not ` +
      "installed (xdg-desktop-portal-gnome and xdg-desktop-portal-kde do; xdg-desktop-portal-gtk does not)";
  }
  const both = DEVICE.pointer | DEVICE.keyboard;
  if ((devices & both) !== both) {
    return "has a desktop portal that does not support both pointer and keyboard";
  }
  if (!(sources & SOURCE.monitor)) return "has a desktop portal that cannot share whole screens";
  return undefined;
}

/** Whether a consent can be stored for later starts. */
export function canRestore({ remoteDesktop }: Features): boolean {
  return remoteDesktop >= RESTORING_VERSION;
}

/**
 * How pictures show the pointer: separately if the portal supports that, since it then also reports the
 * pointer's position.
 */
export function cursorModeOf({ cursorModes }: Features): number {
  return cursorModes & CURSOR_MODE.metadata || cursorModes & CURSOR_MODE.embedded;
}

/** Reads an interface's version; 0 if the portal lacks it. */
function numberOf(bus: Bus, object: RemoteObject, name: string): number {
  return attempt(() => Number(bus.property(object, name)) || 0, 0, BusError);
}

/** The name of the file in the state folder that stores the portal's token. */
const TOKEN_FILE = "portal-token";
/** Maximum length of a stored token; portals use 36 characters. */
const LIMIT = 4096;

/**
 * Takes the stored token, and removes it from the folder, since it is valid for one use.
 * @param notice Receives a line for the user if the token cannot be used.
 * @returns undefined if no token is stored.
 */
export async function takeToken(notice: (text: string) => void): Promise<string | undefined> {
  await askState();
  try {
    const file = stateFile(TOKEN_FILE);
    const token = readOwn(file);
    if (token !== undefined) Deno.removeSync(file);
    return token || undefined;
  } catch (error) {
    notice(`the stored consent cannot be used: ${(error as Error).message}`);
    return undefined;
  }
}

/** Whether a token is stored. */
export function hasToken(): boolean {
  return attempt(() => readOwn(join(stateFolder(), TOKEN_FILE))) !== undefined;
}

/** Deletes the stored token, so that the next start asks; later if the folder's disk does not answer. */
export async function forgetToken(): Promise<void> {
  await takeToken(() => {});
  if (isStateSilent()) (await stateDisk()).later(forgetToken);
}

/**
 * Stores a token for the next start.
 * @param notice Receives a line for the user if it cannot be stored.
 */
export async function keepToken(token: string, notice: (text: string) => void): Promise<void> {
  await askState();
  try {
    if (new TextEncoder().encode(token).length > LIMIT) throw new Error("it is too long");
    replaceFile(stateFile(TOKEN_FILE), token, 0o600);
  } catch (error) {
    notice(`the consent cannot be stored for the next start: ${(error as Error).message}`);
  }
}

function readOwn(file: string): string | undefined {
  const read = () => {
    checkOwn(file, "file");
    return readSmallFile(file, LIMIT);
  };
  return attempt(read, undefined, Deno.errors.NotFound);
}
