/** Opens the desktop of a VNC server. */

import type { Desktop } from "../../control/desktop/desktop.ts";
import { parseCombination } from "../../control/desktop/keys.ts";
import { ExpectedError, NoDesktopError, UsageError } from "../../core/errors.ts";
import type { Finding } from "../permission.ts";
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
  if (isReadable(link)) {
    notice(`the connection to ${addressOf(target)} ${READABLE}`);
  }
  return new VncDesktop(link, paste);
}

const READABLE = "is not encrypted: others on the network can see the desktop and what is typed";

/** Whether others on the network can read a connection. */
function isReadable({ isSecure, target: { host } }: Link): boolean {
  return !isSecure && !LOCAL.test(host);
}

/**
 * Connects to a server, and reports what it can do, for `deskhand doctor`. Moves and presses nothing.
 * @param address As for {@linkcode openVnc}, and so are the options.
 * @throws UsageError if an option is wrong.
 */
export async function inspectVnc(address: string, options: VncOptions): Promise<Finding[]> {
  const target = readTarget(address, options), paste = pasteKeys(options);
  try {
    const link = await Link.open(RECEIVER, target), desktop = new VncDesktop(link, paste);
    const { width, height } = desktop.screen.layout(),
      { clipboard: { isExtended }, link: { isSecure } } = desktop;
    desktop.close();
    const details: Record<string, string> = {
      "VNC server": `${addressOf(target)}, ${JSON.stringify(link.name)}`,
      screen: `${width}x${height}`,
      encryption: isSecure
        ? "TLS"
        : isReadable(link)
        ? `the connection ${READABLE}`
        : "none, on this machine",
      input: link.facts.hasFences
        ? "the server reports when it has handled input"
        : "the server does not report when it has handled input",
      clipboard: isExtended ? "text in any script" : "Latin-1 text",
      text: isExtended
        ? `ASCII; other characters ${paste ? "are pasted" : "with --desktop-paste KEYS"}`
        : "ASCII; other characters are refused, since the server does not report what programs paste",
    };
    return Object.entries(details).map(([name, detail]) => ({ name, ok: true, detail }));
  } catch (error) {
    if (!(error instanceof NoDesktopError)) throw error;
    return [{ name: "VNC server", ok: false, detail: error.message }];
  }
}

function pasteKeys({ paste }: VncOptions): string[] | undefined {
  try {
    return paste === undefined ? undefined : parseCombination(paste);
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    throw new UsageError(`--desktop-paste: ${error.message}`);
  }
}
