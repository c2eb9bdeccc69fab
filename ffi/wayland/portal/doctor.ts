/** Checks of the session's portal, for `deskhand doctor`. They ask no person. */

import { ExpectedError } from "../../../core/errors.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import type { Finding } from "../../permission.ts";
import { recordingFinding, screenFinding } from "../findings.ts";
import type { Probe } from "../way.ts";
import { canRestore, CURSOR_MODE, type Features, featuresOf } from "./features.ts";
import { hasToken } from "./token.ts";

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
