/** A VNC server's address, and the options with which it is opened. Pure. */

import { UsageError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";

/** The default port of VNC servers. */
const VNC_PORT = 5900;
const ADDRESS =
  /^vnc:\/\/(?:([^@:/]*)(:[^@/]*)?@)?(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::(\d{1,5}))?\/?$/i;
const FINGERPRINT = /^[0-9a-f]{64}$/;

/** A VNC server and its secrets: plain data. */
export interface VncTarget {
  host: string;
  port: number;
  /** The account name, for servers that require one. */
  user: string;
  password?: string;
  /** The SHA-256 fingerprint of the server's certificate, in lower case without colons. */
  certificate?: string;
}

/** The options of a VNC desktop, as on the command line. */
export interface VncOptions {
  password?: string;
  certificate?: string;
  /** The key combination that pastes in the desktop's programs, such as `ctrl+v`. */
  paste?: string;
}

/**
 * Reads a VNC server's address.
 * @param text Such as `vnc://host:5901` or `vnc://user@[::1]`.
 * @throws UsageError if it is not an address, or contains a password.
 */
export function readTarget(text: string, { password, certificate }: VncOptions): VncTarget {
  const [, user = "", secret, host, port = `${VNC_PORT}`] = ADDRESS.exec(text) ?? [];
  if (secret !== undefined) {
    throw new UsageError(
      "other users of this machine can see a password in the address: pass it with " +
        "--desktop-password-file or DESKHAND_DESKTOP_PASSWORD",
    );
  }
  if (host === undefined || !(Number(port) >= 1 && Number(port) <= 65535)) {
    const shown = printable(text.replace(/\/\/[^@]*@/, "//…@"), 80);
    throw new UsageError(`--desktop takes vnc://[USER@]HOST[:PORT], not ${shown}`);
  }
  const print = certificate?.replaceAll(":", "").toLowerCase();
  if (print !== undefined && !FINGERPRINT.test(print)) {
    throw new UsageError("--desktop-cert takes the SHA-256 of a certificate: 64 hexadecimal digits");
  }
  return {
    host: host.replace(/^\[|\]$/g, ""),
    port: Number(port),
    user: decodedUser(user),
    ...password === undefined ? {} : { password },
    ...print === undefined ? {} : { certificate: print },
  };
}

function decodedUser(user: string): string {
  try {
    return decodeURIComponent(user);
  } catch {
    throw new UsageError(`the user name in --desktop is not valid percent-encoding: ${printable(user, 40)}`);
  }
}

/** A server's address for display. */
export function addressOf({ host, port }: Pick<VncTarget, "host" | "port">): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
