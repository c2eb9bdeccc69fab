/** Any desktop with a portal for remote control: the portal asks its person for consent. */

import { ExpectedError, NoDesktopError } from "../../../core/errors.ts";
import { CONSOLE } from "../../../core/output.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import { hasPipeWire, PIPEWIRE_MISSING } from "../../linux/pipewire/symbols.ts";
import { playOnThread } from "../../playback/on_thread.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import type { Session } from "../session.ts";
import type { Way } from "../way.ts";
import { WaylandWindows } from "../wire/windows.ts";
import { PortalDesktop } from "./connected_desktop.ts";
import { askConsent } from "./session.ts";
import { inspectPortal } from "./doctor.ts";
import { featuresOf, missingOf } from "./features.ts";

/** The way of org.freedesktop.portal.RemoteDesktop and ScreenCast, and of PipeWire. */
export const PORTAL: Way = {
  /** The portal starts its services at the first use, and sends the first picture late. */
  waitsMs: 20_000,

  missing: ({ session }) => Promise.try(missingPortal, session),
  connect,
  playOnThread,
  makeWindows: ({ socket }) => new WaylandWindows(socket),
  makeClipboard: ({ socket }) => new WaylandClipboard(socket),
  inspect: (probe, missing) => Promise.try(inspectPortal, probe, missing),
};

/**
 * The reason why a session's portal cannot be used.
 * @returns As {@linkcode Way.missing}.
 */
export function missingPortal({ buses }: Session): string | undefined {
  let bus: Bus | undefined;
  try {
    bus = Bus.open(buses);
    return missingOf(featuresOf(bus)) ??
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
    const features = featuresOf(bus), missing = missingOf(features);
    if (missing !== undefined) throw new NoDesktopError(`this desktop ${missing}`);
    const consent = await askConsent(bus, features, CONSOLE.notice);
    return new PortalDesktop(bus, consent, session);
  } catch (error) {
    bus.close();
    throw error;
  }
}
