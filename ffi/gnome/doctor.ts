/** What GNOME lets deskhand do, for `deskhand doctor`. */

import { Bus } from "../dbus/bus.ts";
import type { Finding } from "../finding.ts";
import { recordingFinding, screenFinding } from "../wayland/findings.ts";
import type { Probe } from "../wayland/way.ts";
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
      const version = isThere ? ` ${bus.property(service, "Version")}` : "";
      const detail = `${
        isThere ? `found${version}` : "missing"
      }, for ${purpose}; GNOME asks no person for it`;
      return { name: service.interface, ok: isThere, detail };
    });
    const pipewire = { name: "pipewire", ok: lack === undefined, detail: lack ?? "libpipewire-0.3 is there" };
    return [...services, pipewire, screenFinding(connection, registry), WINDOWS, recordingFinding()];
  } finally {
    bus.close();
  }
}

/** deskhand works without, so that this is in order in any case. */
const WINDOWS: Finding = {
  name: "windows",
  ok: true,
  detail: NO_WINDOWS,
};
