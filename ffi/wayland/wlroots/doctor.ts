/** Checks of a compositor with the wlroots protocols, for `deskhand doctor`. */

import type { Finding } from "../../permission.ts";
import { engineFinding, protocolFinding, recordingFinding, screenFinding } from "../findings.ts";
import { PROTOCOLS } from "../wire/link.ts";
import type { Probe } from "../way.ts";

/** Reports each protocol, the features that it enables, and the input method. */
export async function inspectWlroots(
  { session, connection, registry }: Probe,
  missing: string | undefined,
): Promise<Finding[]> {
  const protocols = PROTOCOLS.map((protocol) => protocolFinding(registry, protocol));
  if (missing !== undefined) return protocols;
  const engine = await engineFinding(session);
  return [...protocols, ...engine, screenFinding(connection, registry), recordingFinding()];
}
