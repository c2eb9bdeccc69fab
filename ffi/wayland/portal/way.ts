/**
 * Any desktop with a portal for remote control: the portal asks its person for consent, and `deskhand doctor` checks
 * it without asking.
 */

import { ExpectedError, NoDesktopError } from "../../../core/errors.ts";
import { CONSOLE } from "../../../core/output.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import { hasPipeWire, PIPEWIRE_MISSING } from "../../linux/pipewire/symbols.ts";
import type { Finding } from "../../permission.ts";
import { playOnThread } from "../../playback/on_thread.ts";
import { recordingFinding, screenFinding } from "../findings.ts";
import type { Session } from "../session.ts";
import type { Probe, Way } from "../way.ts";
import { WaylandClipboard } from "../wire/clipboard.ts";
import { WaylandWindows } from "../wire/windows.ts";
import { PortalDesktop } from "./connected_desktop.ts";
import { canRestore, CURSOR_MODE, type Features, featuresOf, hasToken, missingOf } from "./features.ts";
import { askConsent } from "./session.ts";

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

/** Reports the portal's versions, its question to the person, and the features that work by it. */
export function inspectPortal(
  { session, connection, registry }: Probe,
  missing: string | undefined,
): Finding[] {
  const portal = portalFinding(session.buses, missing);
  return missing === undefined ? [portal, screenFinding(connection, registry), recordingFinding()] : [portal];
}

/**
 * Reports the portal alone.
 * @param buses Paths of sockets of the session's bus; the environment's if left out.
 * @param missing The reason why the portal cannot be used; undefined if it can.
 */
export function portalFinding(buses: readonly string[] | undefined, missing: string | undefined): Finding {
  const name = "desktop portal";
  let bus: Bus | undefined;
  try {
    bus = Bus.open(buses);
    return { name, ok: missing === undefined, detail: describe(featuresOf(bus), missing) };
  } catch (error) {
    if (error instanceof ExpectedError) return { name, ok: false, detail: error.message };
    throw error;
  } finally {
    bus?.close();
  }
}

function describe(features: Features, missing: string | undefined): string {
  if (missing !== undefined) return `this desktop ${missing}`;
  const { remoteDesktop, screenCast, cursorModes } = features;
  const asks = !canRestore(features)
    ? "a dialog on the desktop asks for consent at each start (a portal of version 2 or later remembers it)"
    : hasToken()
    ? "a consent is kept, so that the next start does not ask"
    : "a dialog on the desktop asks for consent at the first start";
  const place = cursorModes & CURSOR_MODE.metadata ? "" : "; it does not show where the pointer is";
  return `RemoteDesktop ${remoteDesktop}, ScreenCast ${screenCast}: ${asks}${place}`;
}
