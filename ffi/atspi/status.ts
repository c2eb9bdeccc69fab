/** The session's switch of accessibility (at-spi2-core, xml/Status.xml). */

import { parseAddresses } from "../linux/dbus/address.ts";
import type { Bus } from "../linux/dbus/bus.ts";
import { DAEMON, propertiesOf, type RemoteObject } from "../linux/dbus/objects.ts";
import { Variant } from "../linux/dbus/values.ts";

/** The session's service that starts the accessibility bus. */
const LAUNCHER: RemoteObject = {
  destination: "org.a11y.Bus",
  path: "/org/a11y/bus",
  interface: "org.a11y.Bus",
};
/** The switch; its other property, ScreenReaderEnabled, would make GNOME speak. */
const STATUS: RemoteObject = { ...LAUNCHER, interface: "org.a11y.Status" };
/** The time that the session may take to start the bus, in milliseconds. */
export const START_MS = 25_000;

/**
 * The address of the accessibility bus, which the session starts if need be. On X11 the session then sets the address as a
 * property of the root window, if it knows the display.
 * @throws BusError if the session has no accessibility.
 */
export function accessibilityAddress(session: Bus): string {
  return session.call(LAUNCHER, "GetAddress", "", [], "s", START_MS)[0];
}

/**
 * The sockets of the accessibility bus, which the session starts if need be.
 * @throws BusError if the session has no accessibility.
 */
export function accessibilitySockets(session: Bus): string[] {
  return parseAddresses(accessibilityAddress(session), Deno.env.get("XDG_RUNTIME_DIR"));
}

/** Tells whether the session has accessibility: running, or to be started by the first program that asks for it. */
export function accessibilityState(session: Bus): "running" | "startable" | "missing" {
  if (session.owner(LAUNCHER.destination) !== undefined) return "running";
  const [names] = session.call(DAEMON, "ListActivatableNames", "", [], "as");
  return names.includes(LAUNCHER.destination) ? "startable" : "missing";
}

/**
 * Tells whether accessibility is switched on, without which some programs do not show elements.
 * @throws BusError if the session has no accessibility.
 */
export function isEnabled(session: Bus): boolean {
  return session.property(STATUS, "IsEnabled") === true;
}

/**
 * Switches accessibility on or off. The session keeps that among the person's settings (GSettings,
 * org.gnome.desktop.interface toolkit-accessibility).
 * @throws BusError if the session has no accessibility.
 */
export function setEnabled(session: Bus, enabled: boolean): void {
  const args = [STATUS.interface, "IsEnabled", new Variant("b", enabled)];
  session.call(propertiesOf(STATUS), "Set", "ssv", args, "", START_MS);
}
