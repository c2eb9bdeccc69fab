/** Options of a VNC server's desktop, and VNC password files. Loaded only on demand. */

import { readSmallFile } from "../core/bytes.ts";
import { describeFileError, UsageError } from "../core/errors.ts";
import { printable } from "../core/printable.ts";
import { DESKTOP_ADDRESS, DESKTOP_SCHEME } from "../ffi/open.ts";
import type { VncOptions } from "../ffi/vnc/address.ts";
import type { Settings } from "./option_table.ts";

/** Maximum size of a password file, in bytes. */
const FILE_LIMIT = 4096;

/**
 * Reads the options.
 * @throws UsageError if the password is unreadable, or the desktop is another one.
 */
export function vncOptions(settings: Settings): VncOptions {
  const { desktop, desktopPasswordFile: file, desktopCert, desktopPaste } = settings;
  if (!desktop.startsWith(DESKTOP_SCHEME)) {
    throw new UsageError(
      `--desktop-password-file, --desktop-cert and --desktop-paste work with --desktop ${DESKTOP_ADDRESS} only`,
    );
  }
  const password = file === undefined
    ? Deno.env.get("DESKHAND_DESKTOP_PASSWORD") || undefined
    : readPasswordFile("--desktop-password-file", file);
  return {
    ...password === undefined ? {} : { password },
    ...desktopCert === undefined ? {} : { certificate: desktopCert },
    ...desktopPaste === undefined ? {} : { paste: desktopPaste },
  };
}

/**
 * Reads a password from a file, ignoring a final line end.
 * @throws UsageError if it cannot be read.
 */
export function readPasswordFile(option: string, file: string): string {
  try {
    return readSmallFile(file, FILE_LIMIT).replace(/\r?\n$/, "");
  } catch (error) {
    throw new UsageError(`${option} ${printable(file)} cannot be read: ${describeFileError(error)}`, {
      cause: error,
    });
  }
}
