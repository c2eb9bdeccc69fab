/** Findings of `deskhand doctor` shared by several ways. */

import { printable } from "../../core/printable.ts";
import { basename } from "../../core/path.ts";
import type { Finding } from "../permission.ts";
import { DEVICE_FOLDER, deviceRefusal } from "./person/devices.ts";
import type { Connection, Registry } from "./wire/connection.ts";
import { layoutOf, Outputs } from "./wire/outputs.ts";
import type { Protocol } from "./wire/link.ts";
import type { Session } from "./way.ts";

/** Whether a compositor offers a protocol. */
export function protocolFinding(registry: Registry, { interfaces, purpose, isNeeded }: Protocol): Finding {
  const found = interfaces.find((name) => registry.version(name));
  const isAbsent = !found && !isNeeded;
  const detail = found
    ? `${found} ${registry.version(found)}, for ${purpose}`
    : `missing${isAbsent ? " (optional)" : ""}: no ${purpose}`;
  return { name: `protocol ${interfaces[0]}`, ok: found !== undefined || isAbsent, isAbsent, detail };
}

/** Whether a person's input can be recorded; never reported as a fault, since deskhand works without it. */
export function recordingFinding(): Finding {
  const refusal = deviceRefusal();
  const detail = refusal ?? `a person's input can be read from ${DEVICE_FOLDER}`;
  return { name: "recording", ok: true, isAbsent: refusal !== undefined, detail };
}

/** The desktop's size and its displays. */
export async function screenFinding(connection: Connection, registry: Registry): Promise<Finding> {
  const arrangement = (await Outputs.open(connection, registry)).arrangement();
  const { width, height, displays } = layoutOf(arrangement);
  const list = displays.map((d, i) =>
    `${printable(d.name)} ${d.width}x${d.height} at ${d.x},${d.y}, scale ${arrangement.outputs[i].scale}`
  );
  return { name: "screen", ok: true, detail: `${width}x${height} (${list.join("; ")})` };
}

/** Reports which input method engine is active. */
export async function engineFinding({ socket, buses }: Session): Promise<Finding[]> {
  const { engineFinding } = await import("../linux/input_method/input_methods.ts");
  return await engineFinding({ display: basename(socket), buses });
}
