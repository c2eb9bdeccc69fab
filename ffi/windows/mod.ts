/** Opens the Windows desktop. */

import { NoDesktopError } from "../../core/errors.ts";
import { WindowsDesktop } from "./desktop.ts";
import { declareDpiAwareness } from "./screen.ts";
import { openLibraries } from "./symbols.ts";
import { inspectSession, noDesktopReason } from "./session.ts";

/**
 * Opens the desktop of the person who is logged on to this Windows.
 * @throws NoDesktopError on another system, and where the process has no screen (a service, a program over SSH).
 */
export function openWindows(): WindowsDesktop {
  if (Deno.build.os !== "windows") {
    throw new NoDesktopError(`No Windows desktop to control: this is ${Deno.build.os}. Use --desktop auto`);
  }
  const libraries = openLibraries();
  declareDpiAwareness(libraries); // must come before all other calls
  const reason = noDesktopReason(inspectSession(libraries));
  if (reason) throw new NoDesktopError(reason);
  return new WindowsDesktop(libraries);
}
