/** Findings of `deskhand doctor` on KWin. */

import { ExpectedError } from "../../../core/errors.ts";
import type { Finding } from "../../permission.ts";
import { Bus } from "../../linux/dbus/bus.ts";
import { engineFinding, protocolFinding, recordingFinding, screenFinding } from "../findings.ts";
import type { Protocol } from "../wire/link.ts";
import type { Session } from "../session.ts";
import type { Probe } from "../way.ts";
import { permissionPath, permissionState } from "./permission.ts";
import { missingScreenshots } from "./screenshot.ts";
import { FAKE_INPUT, WINDOW_MANAGEMENT } from "./keys.ts";

/** Protocols in the order in which they are shown. */
const PROTOCOLS: readonly Protocol[] = [
  { interfaces: [FAKE_INPUT.name], purpose: "pointer, keys and text", isNeeded: true },
  { interfaces: ["zwlr_layer_shell_v1"], purpose: "where the pointer is", isNeeded: false },
  { interfaces: ["zwlr_data_control_manager_v1"], purpose: "the clipboard", isNeeded: false },
  { interfaces: [WINDOW_MANAGEMENT.name], purpose: "windows", isNeeded: false },
];

/** Reports the permission file, each interface, what they give, and the input method. */
export async function inspectKde(
  { session, connection, registry }: Probe,
  missing: string | undefined,
): Promise<Finding[]> {
  const protocols = PROTOCOLS.map((protocol) => protocolFinding(registry, protocol));
  const rest = missing === undefined
    ? [...await engineFinding(session), screenFinding(connection, registry), recordingFinding()]
    : [];
  return [permissionFinding(), ...protocols, picturesFinding(session), ...rest];
}

function picturesFinding({ buses }: Session): Finding {
  const name = "pictures";
  let bus: Bus | undefined;
  try {
    bus = Bus.open(buses);
    const missing = missingScreenshots(bus);
    return { name, ok: missing === undefined, detail: missing ?? "by KWin's screenshots" };
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    return { name, ok: false, detail: error.message };
  } finally {
    bus?.close();
  }
}

/** Meanings of the permission file's states. */
const STATES = {
  given: "allows this executable",
  missing: "is missing; to write it, run: deskhand setup",
  outdated: "is of another executable or version of deskhand; to write it anew, run: deskhand setup",
  foreign: "is not deskhand's; move it away, then run: deskhand setup",
} as const;

function permissionFinding(): Finding {
  const name = "permission", path = permissionPath();
  if (!path) return { name, ok: false, detail: "HOME is not set, so there is no place for the file" };
  const state = permissionState(path);
  return { name, ok: state === "given", detail: `${path} ${STATES[state]}` };
}
