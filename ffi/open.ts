/**
 * Chooses the desktop. Nothing else knows which backends there are. A backend's modules are loaded and its
 * libraries opened only when its desktop is: the other system's would only make the start slower.
 */

import type { Desktop } from "../control/desktop.ts";
import { NoDesktopError } from "../core/errors.ts";
import type { Finding } from "./finding.ts";

/** What `--desktop` takes. */
export const DESKTOP_CHOICES = ["auto", "x11", "windows", "virtual"] as const;
/** One of {@linkcode DESKTOP_CHOICES}. */
export type DesktopChoice = typeof DESKTOP_CHOICES[number];

type Backend = Exclude<DesktopChoice, "auto">;

const OPENERS: Record<Backend, () => Promise<Desktop>> = {
  x11: async () => (await import("./x11/mod.ts")).openX11(),
  virtual: async () => new (await import("./virtual/mod.ts")).VirtualDesktop(),
  windows: async () => (await import("./windows/mod.ts")).openWindows(),
};

/** The backend of the machine's own desktop, by operating system as Deno names it. */
const OWN: Partial<Record<typeof Deno.build.os, Backend>> = {
  linux: "x11",
  freebsd: "x11",
  netbsd: "x11",
  windows: "windows",
};

/**
 * Opens a desktop.
 * @param choice `auto` takes the machine's own; it never falls back to the virtual one.
 * @returns The desktop; the caller closes it.
 * @throws NoDesktopError if there is none, with what is missing and how to get it.
 */
export async function openDesktop(choice: DesktopChoice): Promise<Desktop> {
  const backend = choice === "auto" ? OWN[Deno.build.os] : choice;
  if (!backend) {
    throw new NoDesktopError(
      `deskhand cannot control a desktop on ${Deno.build.os}; it does on Linux (X11) and Windows. ` +
        "To try it without one: --desktop virtual",
    );
  }
  return await OPENERS[backend]();
}

/** What works of this machine's own desktop, and what would make the rest work. Moves and presses nothing. */
export async function inspectDesktop(): Promise<Finding[]> {
  const backend = OWN[Deno.build.os];
  if (backend === "x11") return (await import("./x11/mod.ts")).inspectX11();
  if (backend === "windows") return (await import("./windows/mod.ts")).inspectWindows();
  return [{ name: "desktop", ok: false, detail: `none that deskhand can control on ${Deno.build.os}` }];
}
