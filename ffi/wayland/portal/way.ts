/** Any desktop with a portal for remote control: the portal asks its person for consent. */

import { ExpectedError, NoDesktopError } from "../../../core/errors.ts";
import { CONSOLE } from "../../../core/output.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import { hasPipeWire, PIPEWIRE_MISSING } from "../../linux/pipewire/symbols.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import type { Session } from "../session.ts";
import type { Way } from "../way.ts";
import { WaylandWindows } from "../wire/windows.ts";
import { PortalDesktop } from "./connected_desktop.ts";
import { askConsent } from "./consent.ts";
import { inspectPortal } from "./doctor.ts";
import { featuresOf, lackOf } from "./features.ts";

/** The way of org.freedesktop.portal.RemoteDesktop and ScreenCast, and of PipeWire. */
export const PORTAL: Way = {
  lack: ({ session }) => Promise.try(portalLack, session),
  connect,
  replaysInWorker: false,
  makeWindows: ({ socket }) => new WaylandWindows(socket),
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  inspect: (probe, lack) => Promise.try(inspectPortal, probe, lack),
};

/**
 * Tells why a session's portal cannot be used.
 * @returns As {@linkcode Way.lack}.
 */
export function portalLack({ buses }: Session): string | undefined {
  let bus: Bus | undefined;
  try {
    bus = Bus.open(buses);
    return lackOf(featuresOf(bus)) ??
      (hasPipeWire() ? undefined : `gives pictures by PipeWire, and ${PIPEWIRE_MISSING}`);
  } catch (error) {
    if (error instanceof ExpectedError) return `has no desktop portal: ${error.message}`;
    throw error;
  } finally {
    bus?.close();
  }
}

/** Asks for consent. */
async function connect(session: Session): Promise<PortalDesktop> {
  const bus = Bus.open(session.buses);
  try {
    const features = featuresOf(bus), lack = lackOf(features);
    if (lack !== undefined) throw new NoDesktopError(`this desktop ${lack}`);
    const consent = await askConsent(bus, features, CONSOLE.notice);
    return new PortalDesktop(bus, consent, session);
  } catch (error) {
    bus.close();
    throw error;
  }
}
