/** What GNOME lets deskhand do, for `deskhand doctor`. */

import { Bus } from "../../linux/dbus/bus.ts";
import type { Finding } from "../../finding.ts";
import { recordingFinding, screenFinding } from "../findings.ts";
import type { Probe } from "../way.ts";
import { REMOTE_DESKTOP, SCREEN_CAST } from "./mutter.ts";
import { NO_WINDOWS } from "./windows.ts";

/** What each interface is for. */
const SERVICES = [
  { service: REMOTE_DESKTOP, purpose: "pointer, keyboard and clipboard" },
  { service: SCREEN_CAST, purpose: "pictures, and where the pointer is" },
] as const;

/** Reports the interfaces, PipeWire and the screen. */
export function inspectGnome({ session, connection, registry }: Probe, lack: string | undefined): Finding[] {
  const bus = Bus.open(session.buses);
  try {
    const services = SERVICES.map(({ service, purpose }): Finding => {
      const isThere = bus.owner(service.destination) !== undefined;
      const found = isThere ? `found ${bus.property(service, "Version")}` : "missing";
      return {
        name: service.interface,
        ok: isThere,
        detail: `${found}, for ${purpose}; GNOME asks no person for it`,
      };
    });
    const pipewire = { name: "pipewire", ok: lack === undefined, detail: lack ?? "libpipewire-0.3 is there" };
    const windows = { name: "windows", ok: true, detail: NO_WINDOWS }; // deskhand works without them
    return [...services, pipewire, screenFinding(connection, registry), windows, recordingFinding()];
  } finally {
    bus.close();
  }
}
