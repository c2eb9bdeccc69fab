/**
 * The table of backends, and the only place that names them. A backend's modules and libraries are loaded
 * with its desktop: loading those of other systems would only slow down the start.
 */

import type { Desktop } from "../control/desktop/desktop.ts";
import type { SoundSource } from "../control/desktop/screen.ts";
import { NoDesktopError, UnsupportedError } from "../core/errors.ts";
import type { Finding, Permission } from "./permission.ts";
import type { VncOptions } from "./vnc/address.ts";

/**
 * For a process that does a few actions and exits: whether it presses keys, if known. Otherwise undefined.
 */
type Brief = { hasKeys: boolean } | undefined;

/** The size of a screen, in pixels. */
export interface ScreenSize {
  width: number;
  height: number;
}

/** Options of the desktops that support any. */
export interface DesktopOptions {
  /** Whether others wait for this thread: clients of servers, or a person at the prompt. */
  isServing?: boolean;
  /** The size of the virtual desktop's screen, in pixels. */
  size?: ScreenSize;
  vnc?: VncOptions;
}

/** One way to control a desktop. */
interface Backend {
  /** The backend's name in `--desktop`, alone or before `://`, and in `Desktop.kind`. */
  name: string;
  /** A short description for completions. */
  summary: string;
  /** The systems whose own desktop this is, by Deno's names; each system's first row is used. */
  systems: readonly typeof Deno.build.os[];
  /** Whether the session names a desktop of this kind; omitted if the system has only one kind. */
  isNamed?(): boolean;
  /** Returns how to name a running desktop of this kind if the session names none; undefined if none runs. */
  unnamed?(): Promise<string | undefined>;
  /** Why the named desktop cannot be controlled this way. Never throws. */
  refusal?(): Promise<string | undefined>;
  /**
   * Opens the desktop, or returns the `refusal`, so that the next row is tried; omitted if this way never
   * refuses.
   * @param brief As for {@linkcode openDesktop}.
   * @throws NoDesktopError as `open` does.
   */
  openUnlessRefused?(brief: Brief): Promise<Desktop | string>;
  /** The part of the desktop that the next row can still control. */
  remainder?: string;
  /**
   * Opens the desktop.
   * @param address The given address, for a backend whose desktops have one.
   * @param notice Receives warnings.
   * @throws NoDesktopError if there is none, saying what is missing and how to get it; UsageError if an
   * option is wrong.
   */
  open(options: DesktopOptions, address: string, notice: (text: string) => void): Promise<Desktop>;
  /** The permission that deskhand still needs on the session's desktop; undefined if none is missing. */
  permission?(): Promise<Permission | undefined>;
  /** Revokes deskhand's permissions; returns sentences about the changes. */
  revoke?(): Promise<string[]>;
  /** Opens the sound of the desktop's session, or is a sentence that says why there is none. */
  sound: (() => Promise<SoundSource>) | string;
  /**
   * Reports which parts of the backend work, with remedies for the others. Moves and presses nothing. Omitted
   * if the desktop depends on nothing on the machine.
   * @param options As for `open`, like `address`.
   * @throws UsageError if an option is wrong.
   */
  inspect?(options: DesktopOptions, address: string): Promise<Finding[]>;
}

const BACKENDS = [
  {
    name: "wayland",
    summary: "the compositor of WAYLAND_DISPLAY",
    systems: ["linux"],
    isNamed: () => Boolean(Deno.env.get("WAYLAND_DISPLAY")),
    unnamed: async () => (await import("./wayland/mod.ts")).unnamed(),
    remainder: "deskhand reaches and sees only programs under XWayland",
    refusal: async () => (await import("./wayland/mod.ts")).refusal(),
    openUnlessRefused: async (brief) => (await import("./wayland/mod.ts")).openUnlessRefused(brief),
    open: async () => (await import("./wayland/mod.ts")).openWayland(),
    permission: async () => (await import("./wayland/mod.ts")).missingPermission(),
    revoke: async () => (await import("./wayland/mod.ts")).revokeAll(),
    sound: linuxSound,
    inspect: async () => (await import("./wayland/ways.ts")).inspectWayland(),
  },
  {
    // A user may prefer the portal's prompt to a way that needs no consent.
    name: "portal",
    summary: "that compositor, once the person consents",
    systems: [],
    open: async () => (await import("./wayland/mod.ts")).openWayland(undefined, undefined, "portal"),
    sound: linuxSound,
    inspect: async () => (await import("./wayland/ways.ts")).inspectWayland(),
  },
  {
    name: "x11",
    summary: "the X server of DISPLAY",
    systems: ["linux", "freebsd", "netbsd"],
    isNamed: () => Boolean(Deno.env.get("DISPLAY")),
    open: async ({ isServing }) => (await import("./x11/desktop.ts")).openOwnX11(isServing),
    sound: linuxSound,
    inspect: async () => (await import("./x11/doctor.ts")).inspectX11(),
  },
  {
    name: "windows",
    summary: "the desktop of Windows",
    systems: ["windows"],
    open: async () => (await import("./windows/mod.ts")).openWindows(),
    sound: "deskhand captures sound on Linux only (PipeWire, PulseAudio), not on Windows",
    inspect: async () => (await import("./windows/doctor.ts")).inspectWindows(),
  },
  {
    name: "virtual",
    summary: "a made-up one, to try things out",
    systems: [],
    open: async ({ size }) => new (await import("./virtual/mod.ts")).VirtualDesktop(size),
    sound: "the virtual desktop is silent: no program plays on it",
  },
] as const satisfies readonly Backend[];
/** The backend of desktops that have an address. */
const REMOTE: Backend = {
  name: "vnc",
  summary: "the desktop of a VNC server",
  systems: [],
  open: async ({ vnc = {} }, address, notice) => (await import("./vnc/mod.ts")).openVnc(address, vnc, notice),
  sound: "deskhand does not play sound from VNC servers",
  inspect: async ({ vnc = {} }, address) => (await import("./vnc/mod.ts")).inspectVnc(address, vnc),
};
const ROWS: readonly Backend[] = [...BACKENDS, REMOTE];

/** The sound of a Linux session. */
async function linuxSound(): Promise<SoundSource> {
  if (Deno.build.os === "linux") return (await import("./linux/sound/mod.ts")).LINUX_SOUND;
  throw new UnsupportedError(`deskhand captures sound on Linux only, not on ${Deno.build.os}`);
}

/** Values of `--desktop`. */
export const DESKTOP_CHOICES = ["auto", ...BACKENDS.map(({ name }) => name)] as const;
/** A short description of each of {@linkcode DESKTOP_CHOICES}. */
export const DESKTOP_MEANINGS: Readonly<Record<string, string>> = {
  auto: "the machine's own",
  ...Object.fromEntries(BACKENDS.map(({ name, summary }) => [name, summary])),
};
/** The prefix of an address, which is also a value of `--desktop`, and the form of an address. */
export const DESKTOP_SCHEME = "vnc://", DESKTOP_ADDRESS = "vnc://HOST[:PORT]";
/** One of {@linkcode DESKTOP_CHOICES}, or an address. */
export type DesktopChoice = typeof DESKTOP_CHOICES[number] | `vnc://${string}`;

/**
 * The backends of this system's own desktop that the session names, in the order in which they are tried, and
 * always the last backend, whose error says what is missing.
 */
function ownBackends(): Backend[] {
  const own = ROWS.filter(({ systems }) => systems.includes(Deno.build.os));
  return own.filter(({ isNamed }, i) => i === own.length - 1 || (isNamed?.() ?? true));
}

/** The backend of a choice other than `auto`. */
function backendOf(choice: DesktopChoice): Backend {
  const [wanted] = choice.split("://", 1);
  return ROWS.find(({ name }) => name === wanted)!;
}

/** Returns how to name a desktop of this system that is running but not named by the session. */
async function unnamedDesktop(): Promise<string | undefined> {
  for (const { systems, unnamed } of ROWS) {
    const sentence = systems.includes(Deno.build.os) ? await unnamed?.() : undefined;
    if (sentence) return sentence;
  }
  return undefined;
}

/**
 * Opens a desktop.
 * @param choice `auto` means this system's own desktop; it never falls back to the virtual one.
 * @param notice Receives the reason why a desktop named by the session is not used.
 * @param brief Set if the process does a few actions and exits.
 * @param options Options of the desktops that support any.
 * @returns The desktop; the caller closes it.
 * @throws NoDesktopError if there is none, saying what is missing and how to get it.
 */
export async function openDesktop(
  choice: DesktopChoice,
  notice: (text: string) => void,
  brief?: Brief,
  options: DesktopOptions = {},
): Promise<Desktop> {
  if (choice !== "auto") {
    return await backendOf(choice).open(options, choice, notice);
  }
  const refused: { reason: string; remainder: string | undefined }[] = [];
  for (const backend of ownBackends()) {
    const opening: Promise<Desktop | string> = backend.openUnlessRefused?.(brief) ??
      backend.open(options, choice, notice);
    const desktop = await opening.catch(async (error) => {
      throw error instanceof NoDesktopError
        ? await noDesktop(refused.map(({ reason }) => reason), error)
        : error;
    });
    if (typeof desktop === "string") {
      refused.push({ reason: desktop, remainder: backend.remainder });
      continue;
    }
    for (const { reason, remainder } of refused) notice([reason, remainder].filter(Boolean).join(": "));
    return desktop;
  }
  throw new NoDesktopError(
    `deskhand controls desktops on Linux (Wayland, X11) and Windows, not on ${Deno.build.os}.  ` +
      "To try it without one: --desktop virtual",
  );
}

/**
 * The sound of a desktop. Opens no library.
 * @param kind The value of `Desktop.kind`.
 * @throws UnsupportedError if the desktop's sound cannot be captured.
 */
export async function desktopSound(kind: string): Promise<SoundSource> {
  const { sound } = ROWS.find(({ name }) => name === kind)!;
  if (typeof sound === "string") throw new UnsupportedError(sound);
  return await sound();
}

/** Makes the error for a missing desktop; if a remedy is known, the message contains only the remedy. */
async function noDesktop(reasons: readonly string[], last: NoDesktopError): Promise<NoDesktopError> {
  if (reasons.length && await missingPermission("auto")) return new NoDesktopError(reasons.join("; "));
  const unnamed = await unnamedDesktop();
  return unnamed ? new NoDesktopError(unnamed) : new NoDesktopError([...reasons, last.message].join("; "));
}

/**
 * The permission that deskhand still needs on a desktop.
 * @param choice The choice, as for {@linkcode openDesktop}.
 * @returns undefined if none is missing.
 */
export async function missingPermission(choice: DesktopChoice): Promise<Permission | undefined> {
  for (const { name, permission } of ownBackends()) {
    if (choice === "auto" || choice === name) return await permission?.();
  }
  return undefined;
}

/**
 * Revokes deskhand's permissions on this system.
 * @returns Sentences about the changes; empty if no desktop needs a permission.
 * @throws StateError if another program's file is in the place of a permission.
 */
export async function revokePermissions(): Promise<string[]> {
  const done: string[] = [];
  for (const { systems, revoke } of ROWS) {
    if (revoke && systems.includes(Deno.build.os)) done.push(...await revoke());
  }
  return done;
}

/**
 * Checks which parts of a desktop work, with remedies for the others. Moves and presses nothing.
 * @param choice As for {@linkcode openDesktop}.
 * @throws UsageError if an option of the desktop is wrong.
 */
export async function inspectDesktop(choice: DesktopChoice, options: DesktopOptions): Promise<Finding[]> {
  if (choice !== "auto") {
    const backend = backendOf(choice), none = { name: "desktop", ok: true, detail: backend.summary };
    return await backend.inspect?.(options, choice) ?? [none];
  }
  const unnamed = await unnamedDesktop();
  const findings: Finding[] = unnamed ? [{ name: "session", ok: false, detail: unnamed }] : [];
  for (const backend of ownBackends()) {
    if (unnamed && !backend.isNamed?.()) continue;
    findings.push(...await backend.inspect!({}, choice));
    if (await backend.refusal?.() === undefined || await backend.permission?.()) return findings;
  }
  if (findings.length) return findings;
  return [{ name: "desktop", ok: false, detail: `none that deskhand can control on ${Deno.build.os}` }];
}

/**
 * Checks whether the sound of this system's desktop can be captured. Captures nothing.
 * @param choice As for {@linkcode openDesktop}.
 */
export async function inspectSound(choice: DesktopChoice): Promise<Finding[]> {
  if (Deno.build.os !== "linux" || choice !== "auto" && typeof backendOf(choice).sound === "string") {
    return [];
  }
  return [await (await import("./linux/sound/mod.ts")).inspectSound()];
}
