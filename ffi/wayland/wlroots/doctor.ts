/** What a compositor with the protocols of wlroots offers, for `deskhand doctor`. */

import type { Finding } from "../../finding.ts";
import { recordingFinding, screenFinding } from "../findings.ts";
import { PROTOCOLS } from "../protocols.ts";
import type { Probe } from "../way.ts";

/** Reports each protocol, and what they give. */
export function inspectWlroots({ connection, registry }: Probe, lack: string | undefined): Finding[] {
  const protocols = PROTOCOLS.map(({ interfaces, purpose, isNeeded }): Finding => {
    const found = interfaces.find((name) => registry.version(name));
    const detail = found
      ? `${found} ${registry.version(found)}, for ${purpose}`
      : `missing: no ${purpose}${isNeeded ? "" : "; the rest works"}`;
    return { name: `protocol ${interfaces[0]}`, ok: found !== undefined || !isNeeded, detail };
  });
  return lack === undefined
    ? [...protocols, screenFinding(connection, registry), recordingFinding()]
    : protocols;
}
