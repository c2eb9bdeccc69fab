/** What works with this Wayland compositor, for `deskhand doctor`. */

import { printable } from "../../core/printable.ts";
import type { Finding } from "../finding.ts";
import { Connection } from "./connection.ts";
import { compositorName } from "./compositor_name.ts";
import { DEVICE_FOLDER, deviceRefusal } from "./devices.ts";
import { layoutOf } from "./displays.ts";
import { socketPath } from "./mod.ts";
import { Outputs } from "./outputs.ts";
import { missingProtocols, PROTOCOLS } from "./protocols.ts";
import { Registry } from "./registry.ts";

/** Checks everything that controlling a Wayland desktop needs. Moves and presses nothing, and never throws. */
export function inspectWayland(): Finding[] {
  const path = socketPath();
  if (!path) {
    return [{ name: "compositor", ok: false, detail: "WAYLAND_DISPLAY or XDG_RUNTIME_DIR is not set" }];
  }
  let connection: Connection | undefined;
  try {
    connection = Connection.open(path);
    if (!connection) {
      const detail = `${
        printable(path)
      } cannot be opened: no compositor is there, or this user may not use it`;
      return [{ name: "compositor", ok: false, detail }];
    }
    return inspectCompositor(connection);
  } catch (error) {
    return [{ name: "compositor", ok: false, detail: (error as Error).message }];
  } finally {
    connection?.close();
  }
}

function inspectCompositor(connection: Connection): Finding[] {
  const registry = new Registry(connection), missing = missingProtocols(registry);
  const way = missing.length
    ? `deskhand cannot control it, since it does not offer ${missing.join(", ")}`
    : "deskhand controls it as --desktop wayland, which auto chooses";
  const findings: Finding[] = [
    {
      name: "compositor",
      ok: !missing.length,
      detail: `${printable(compositorName(connection))} at ${printable(connection.path)}: ${way}`,
    },
    ...PROTOCOLS.map(({ interfaces, purpose, isNeeded }): Finding => {
      const found = interfaces.find((name) => registry.version(name));
      const detail = found
        ? `${found} ${registry.version(found)}, for ${purpose}`
        : `missing: no ${purpose}${isNeeded ? "" : "; the rest works"}`;
      return { name: `protocol ${interfaces[0]}`, ok: found !== undefined || !isNeeded, detail };
    }),
  ];
  return missing.length ? findings : [...findings, screen(connection, registry), recording()];
}

/** deskhand works without a person's devices, so that this is in order in any case. */
function recording(): Finding {
  const detail = deviceRefusal() ?? `a person's input can be read from ${DEVICE_FOLDER}`;
  return { name: "recording", ok: true, detail };
}

function screen(connection: Connection, registry: Registry): Finding {
  const arrangement = new Outputs(connection, registry).arrangement();
  const { width, height, displays } = layoutOf(arrangement);
  const list = displays.map((d, i) =>
    `${printable(d.name)} ${d.width}x${d.height} at ${d.x},${d.y}, scale ${arrangement.outputs[i].scale}`
  );
  return { name: "screen", ok: true, detail: `${width}x${height} (${list.join("; ")})` };
}
