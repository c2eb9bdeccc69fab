/**
 * The table of backends, the only place that names them. A backend's modules are loaded, and its libraries opened, with
 * its desktop: those of other systems would only slow the start down.
 */

import type { Desktop } from "../control/desktop.ts";
import { NoDesktopError } from "../core/errors.ts";
import type { Finding } from "./finding.ts";

/** One way to control a desktop. */
interface Backend {
  /** As `--desktop` takes it, and `Desktop.kind` gives it. */
  name: string;
  /** The systems whose own desktop this is, as Deno names them; the first row that has a system serves it. */
  systems: readonly typeof Deno.build.os[];
  /**
   * Opens the desktop.
   * @throws NoDesktopError if there is none, with what is missing and how to get it.
   */
  open(): Promise<Desktop>;
  /** Reports what works of it and what would make the rest work. Moves and presses nothing, and never throws. */
  inspect?(): Promise<Finding[]>;
}

const BACKENDS = [
  {
    name: "x11",
    systems: ["linux", "freebsd", "netbsd"],
    open: async () => (await import("./x11/mod.ts")).openX11(),
    inspect: async () => (await import("./x11/doctor.ts")).inspectX11(),
  },
  {
    name: "windows",
    systems: ["windows"],
    open: async () => (await import("./windows/mod.ts")).openWindows(),
    inspect: async () => (await import("./windows/doctor.ts")).inspectWindows(),
  },
  {
    name: "virtual",
    systems: [],
    open: async () => new (await import("./virtual/mod.ts")).VirtualDesktop(),
  },
] as const satisfies readonly Backend[];

/** What `--desktop` takes. */
export const DESKTOP_CHOICES = ["auto", ...BACKENDS.map(({ name }) => name)] as const;
/** One of {@linkcode DESKTOP_CHOICES}. */
export type DesktopChoice = typeof DESKTOP_CHOICES[number];

/** The backend of this system's own desktop. */
function ownBackend(): Backend | undefined {
  return BACKENDS.find(({ systems }: Backend) => systems.includes(Deno.build.os));
}

/**
 * Opens a desktop.
 * @param choice `auto` takes this system's own; it never falls back to the virtual one.
 * @returns The desktop; the caller closes it.
 * @throws NoDesktopError if there is none, with what is missing and how to get it.
 */
export async function openDesktop(choice: DesktopChoice): Promise<Desktop> {
  const backend = choice === "auto" ? ownBackend() : BACKENDS.find(({ name }) => name === choice);
  if (!backend) {
    throw new NoDesktopError(
      `deskhand cannot control a desktop on ${Deno.build.os}; it does on Linux (X11) and Windows. ` +
        "To try it without one: --desktop virtual",
    );
  }
  return await backend.open();
}

/** What works of this system's own desktop, and what would make the rest work. Moves and presses nothing. */
export async function inspectDesktop(): Promise<Finding[]> {
  return await ownBackend()?.inspect?.() ??
    [{ name: "desktop", ok: false, detail: `none that deskhand can control on ${Deno.build.os}` }];
}
