/** Checks of a Wayland compositor, for `deskhand doctor`. */

import { printable } from "../../core/printable.ts";
import type { Finding } from "../permission.ts";
import { compositorName } from "./wire/connection.ts";
import { type Probe, type Session, socketPath } from "./way.ts";
import { chooseWay, loadWay, probe } from "./ways.ts";

/** Checks everything that controlling a Wayland desktop needs. Moves and presses nothing, and never throws. */
export async function inspectWayland(): Promise<Finding[]> {
  const socket = socketPath();
  if (!socket) return [missing("WAYLAND_DISPLAY or XDG_RUNTIME_DIR is not set")];
  const session: Session = { socket };
  try {
    const findings = await probe(session, inspectCompositor);
    return findings ?? [
      missing(
        `${printable(socket)} cannot be opened: no compositor is there, or this user may not use it`,
      ),
    ];
  } catch (error) {
    return [missing((error as Error).message)];
  }
}

async function inspectCompositor(probe: Probe): Promise<Finding[]> {
  const { connection } = probe, chosen = await chooseWay(probe), way = await loadWay(chosen);
  const missing = await way.missing(probe);
  const verdict = missing === undefined
    ? "deskhand controls it as --desktop wayland, which auto chooses"
    : `deskhand cannot control it, since it ${missing}`;
  const name = printable(compositorName(connection)), path = printable(connection.path);
  return [
    { name: "compositor", ok: missing === undefined, detail: `${name} at ${path}: ${verdict}` },
    ...await way.inspect(probe, missing),
    (await import("../atspi/doctor.ts")).inspectAccessibility(),
    ...missing === undefined || chosen === "portal" ? [] : [await wayOut(probe)],
  ];
}

/** The portal, which serves where the compositor itself does not. */
async function wayOut({ session }: Probe): Promise<Finding> {
  const [{ missingPortal }, { portalFinding }] = await Promise.all([
    import("./portal/way.ts"),
    import("./portal/way.ts"),
  ]);
  const missing = missingPortal(session), finding = portalFinding(session.buses, missing);
  return missing === undefined ? { ...finding, detail: `--desktop portal: ${finding.detail}` } : finding;
}

function missing(detail: string): Finding {
  return { name: "compositor", ok: false, detail };
}
