/** Checks of a compositor with the protocols of wlroots, for `deskhand doctor`. */

import type { Finding } from "../../finding.ts";
import { protocolFinding, recordingFinding, screenFinding } from "../findings.ts";
import { PROTOCOLS } from "../wire/protocols.ts";
import type { Probe } from "../way.ts";

/** Reports each protocol, and the features that it gives. */
export function inspectWlroots({ connection, registry }: Probe, missing: string | undefined): Finding[] {
  const protocols = PROTOCOLS.map((protocol) => protocolFinding(registry, protocol));
  return missing === undefined
    ? [...protocols, screenFinding(connection, registry), recordingFinding()]
    : protocols;
}
