/** What works with KWin, for `deskhand doctor`. */

import type { Finding } from "../../finding.ts";
import { recordingFinding, screenFinding } from "../findings.ts";
import type { Probe } from "../way.ts";
import { permissionPath, permissionState } from "./permission.ts";
import { FAKE_INPUT, WINDOW_MANAGEMENT } from "./protocol.ts";

/** What KWin offers and what for; without the first nothing works. */
const OFFERS: readonly (readonly [name: string, purpose: string])[] = [
  [FAKE_INPUT.name, "pointer, keys and text"],
  ["zwlr_layer_shell_v1", "where the pointer is"],
  ["zwlr_data_control_manager_v1", "the clipboard"],
  [WINDOW_MANAGEMENT.name, "windows"],
];

/** Reports the permission file, each interface, and what they give. */
export function inspectKde({ connection, registry }: Probe, lack: string | undefined): Finding[] {
  const offers = OFFERS.map(([name, purpose], i): Finding => {
    const version = registry.version(name);
    const detail = version
      ? `${name} ${version}, for ${purpose}`
      : `missing: no ${purpose}${i > 0 ? "; the rest works" : ""}`;
    return { name: `protocol ${name}`, ok: version > 0 || i > 0, detail };
  });
  const rest = lack === undefined ? [screenFinding(connection, registry), recordingFinding()] : [];
  return [permissionFinding(), ...offers, ...rest];
}

/** What the states of the permission file mean. */
const STATES = {
  given: "allows this executable",
  missing: "is not there; to write it, type: deskhand setup",
  outdated: "is of another executable or version of deskhand; to write it anew, type: deskhand setup",
  foreign: "is not deskhand's; move it away, then type: deskhand setup",
} as const;

function permissionFinding(): Finding {
  const name = "permission", path = permissionPath();
  if (!path) return { name, ok: false, detail: "HOME is not set, so that there is no place for the file" };
  const state = permissionState(path);
  return { name, ok: state === "given", detail: `${path} ${STATES[state]}` };
}
