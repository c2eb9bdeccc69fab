/** Opens the desktop of a VNC server. */

import type { Desktop } from "../../control/desktop/desktop.ts";
import { parseCombination } from "../../control/desktop/keys.ts";
import { ExpectedError, UsageError } from "../../core/errors.ts";
import { addressOf, readTarget, type VncOptions } from "./address.ts";
import { RECEIVER, VncDesktop } from "./desktop.ts";
import { Link } from "./link.ts";

/** Hosts of this machine. */
const LOCAL = /^(?:localhost|127\.[0-9.]+|::1)$/i;

/**
 * Opens a desktop.
 * @param address Such as `vnc://host:5901`.
 * @param notice Receives a warning if others can read the connection.
 * @throws UsageError if an option is wrong; NoDesktopError if there is no server, or it does not let deskhand in.
 */
export async function openVnc(
  address: string,
  options: VncOptions,
  notice: (text: string) => void,
): Promise<Desktop> {
  const target = readTarget(address, options), paste = pasteKeys(options);
  const link = await Link.open(RECEIVER, target);
  if (!link.isSecure && !LOCAL.test(target.host)) {
    notice(
      `the connection to ${
        addressOf(target)
      } is not encrypted: others on the network can see the desktop and what is typed`,
    );
  }
  return new VncDesktop(link, paste);
}

function pasteKeys({ paste }: VncOptions): string[] | undefined {
  try {
    return paste === undefined ? undefined : parseCombination(paste);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    throw new UsageError(`--desktop-paste: ${error.message}`);
  }
}
