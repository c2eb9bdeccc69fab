/** The accessibility bus: its address and socket, and whether accessibility is enabled. */

import {
  DesktopUnavailableError,
  ExpectedError,
  NoDesktopError,
  UnsupportedError,
} from "../../core/errors.ts";
import { readProc } from "../../core/proc.ts";
import { Bus, parseAddresses } from "../linux/dbus/bus.ts";
import { BusError } from "../linux/dbus/channel.ts";
import { DAEMON, propertiesOf, type RemoteObject } from "../linux/dbus/message.ts";
import { Variant } from "../linux/dbus/values.ts";
import { Calls, type SilentPrograms } from "./calls.ts";
import { ask, interfaceOf, REGISTRY_OBJECT, ROOT_PATH } from "./objects.ts";
import type { Finding } from "../permission.ts";

/** The error in a session in which no program can expose elements. */
const NO_ACCESSIBILITY = "this session has no accessibility bus (on Debian, install at-spi2-core)";

/**
 * Runs a function with a connection to the session bus.
 * @throws UnsupportedError if the session has no bus, or no accessibility; the errors of `use`.
 */
export function onSession<T>(use: (session: Bus) => T): T {
  let session: Bus | undefined;
  try {
    session = Bus.open();
    return use(session);
  } catch (error) {
    if (!(error instanceof NoDesktopError || error instanceof BusError)) throw error;
    throw new UnsupportedError(`${NO_ACCESSIBILITY}: ${error.message}`, { cause: error });
  } finally {
    session?.close();
  }
}

/**
 * Connects to the accessibility bus, which the session starts if necessary. ATK programs maintain a cache
 * only for clients that listen for an event, so this connection listens for a rare one. They drop the cache
 * when the connection ends.
 * @param silent Programs that did not answer an earlier connection.
 * @throws UnsupportedError if the session has no accessibility; DesktopUnavailableError if its bus does not answer.
 */
export function openAccessibility(silent?: SilentPrograms): Calls {
  const sockets = onSession(accessibilitySockets);
  if (!sockets.length) throw new DesktopUnavailableError("the accessibility bus did not report its address");
  const calls = new Calls(sockets, silent);
  calls.add({
    object: interfaceOf(REGISTRY_OBJECT, "Registry"),
    member: "RegisterEvent",
    signature: "sass",
    args: ["window:activate", [], ""],
    then: () => {},
  });
  calls.run(START_MS);
  return calls;
}

// Programs' own sockets, as offered by ATK programs, over which answers bypass the bus.

/** Maximum time for a program to report its socket, in milliseconds. */
const TELL_MS = 500;

/**
 * Makes further calls to a program go over its own socket, if it has a usable one.
 * @param app The program's name on the bus.
 * @param pid The program's process.
 */
export function useOwnSocket(calls: Calls, app: string, pid: number): void {
  const { own } = calls, root = { app, path: ROOT_PATH };
  if (!own.wasOffered(app)) {
    calls.add(
      ask(root, "Application", "GetApplicationBusAddress", (address) => own.offer(app, address, pid)),
    );
    calls.run(TELL_MS);
  }
  own.open(app);
}

/** The session service that starts the accessibility bus. */
const LAUNCHER: RemoteObject = {
  destination: "org.a11y.Bus",
  path: "/org/a11y/bus",
  interface: "org.a11y.Bus",
};
/** The switch for accessibility; its other property, ScreenReaderEnabled, would make GNOME speak. */
const STATUS: RemoteObject = { ...LAUNCHER, interface: "org.a11y.Status" };
/** Maximum time for the session to start the bus, in milliseconds. */
const START_MS = 25_000;

/**
 * The address of the accessibility bus, which the session starts if necessary. On X11, the session then sets
 * the address as a root window property, if it knows the display.
 * @throws BusError if the session has no accessibility.
 */
export function accessibilityAddress(session: Bus): string {
  return session.call(LAUNCHER, "GetAddress", "", [], "s", START_MS)[0];
}

/**
 * The sockets of the accessibility bus, which the session starts if necessary.
 * @throws BusError if the session has no accessibility.
 */
function accessibilitySockets(session: Bus): string[] {
  return parseAddresses(accessibilityAddress(session), Deno.env.get("XDG_RUNTIME_DIR"));
}

/** Whether the session has accessibility: running, or started by the first program that requests it. */
function accessibilityState(session: Bus): "running" | "startable" | "missing" {
  if (session.owner(LAUNCHER.destination) !== undefined) return "running";
  const [names] = session.call(DAEMON, "ListActivatableNames", "", [], "as");
  return names.includes(LAUNCHER.destination) ? "startable" : "missing";
}

/**
 * Whether accessibility is enabled, without which some programs expose no elements.
 * @throws BusError if the session has no accessibility.
 */
export function isEnabled(session: Bus): boolean {
  return session.property(STATUS, "IsEnabled") === true;
}

/**
 * Enables or disables accessibility. The session stores this in the user's settings (GSettings,
 * org.gnome.desktop.interface toolkit-accessibility).
 * @throws BusError if the session has no accessibility.
 */
export function setEnabled(session: Bus, enabled: boolean): void {
  const args = [STATUS.interface, "IsEnabled", new Variant("b", enabled)];
  session.call(propertiesOf(STATUS), "Set", "ssv", args, "", START_MS);
}

// Why windows show no elements, and the remedies. A program's kind is identified by its mapped files.

/** How to enable accessibility, in terms of every interface. */
const SWITCH_ON = 'switch accessibility on (POST /api/elements {"enabled":true}, or elements on)';

/** A kind of program. */
interface Kind {
  /** A file mapped only by programs of this kind. */
  file: RegExp;
  /** The remedy. */
  why: string;
  /** The reason while accessibility is disabled, if different. */
  whyOff?: string;
}

/**
 * Kinds of programs in the order in which they are tried: an Electron program may also map others' libraries.
 */
const KINDS: readonly Kind[] = [
  {
    file: /\/(?:icudtl\.dat|v8_context_snapshot\S*\.bin|snapshot_blob\.bin)$/m,
    why: "start it with --force-renderer-accessibility",
    whyOff: `start it with --force-renderer-accessibility, while accessibility is on: ${SWITCH_ON}`,
  },
  {
    file: /\/libxul\.so$/m,
    why: "Firefox was started before accessibility was switched on: start it again",
    whyOff: `Firefox shows them while accessibility is on: ${SWITCH_ON}`,
  },
  {
    // In Qt 5, only the X11 part uses the bus's address; the other parts only respond to the switch for
    // screen readers.
    file: /\/qt5?\/plugins\/platforms\/libqwayland-/m,
    why: "it uses Qt 5, which shows them on Wayland if it is started with QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1",
  },
  {
    file: /\/libQt5Gui\.so/m,
    why:
      "it uses Qt and was started before accessibility was switched on: start it again; if it then shows none, " +
      `${SWITCH_ON} and start it once more`,
    whyOff: `it uses Qt and was started while accessibility is off: ${SWITCH_ON}, then start it again`,
  },
  {
    file: /\/libQt6Gui\.so/m,
    why: "it uses Qt and was started before accessibility was switched on: start it again",
    whyOff: `it uses Qt and was started while accessibility is off: ${SWITCH_ON}, then start it again`,
  },
  {
    file: /\/libgtk-x11-2\.0\.so/m,
    why: "it uses GTK 2: start it with GTK_MODULES=gail:atk-bridge (Debian's libatk-adaptor)",
  },
  {
    file: /\/libjvm\.so$/m,
    why: "it uses Java, which needs java-atk-wrapper (Debian's libatk-wrapper-java)",
  },
  { file: /\/ntdll\.(?:so|dll)/m, why: "programs under Wine have none" },
];

/**
 * Why a program is not on the accessibility bus.
 * @param maps Its mapped files, as returned by {@linkcode mapsOf}.
 * @param isEnabled Whether accessibility is enabled in the session.
 * @example
 * whyAbsent("7f12-7f34 r-xp 0 08:01 7 /usr/lib/libQt6Gui.so.6\n", true).slice(0, 10); // "it uses Qt"
 */
export function whyAbsent(maps: string, isEnabled: boolean): string {
  const kind = KINDS.find(({ file }) => file.test(maps));
  if (kind) return isEnabled ? kind.why : kind.whyOff ?? kind.why;
  const what = "its program is not on the accessibility bus";
  return isEnabled || maps ? what : `${what}; if it is Firefox or uses Qt, ${SWITCH_ON}`;
}

/**
 * A process's mapped files, with their addresses (proc(5), /proc/pid/maps).
 * @param pid The process; undefined if the desktop does not report it.
 * @returns "" if the process is unknown, has ended, or belongs to another user.
 */
export function mapsOf(pid: number | undefined): string {
  return pid === undefined ? "" : readProc(`${pid}/maps`);
}

// The finding of `deskhand doctor`: whether programs expose elements, and the remedy if not.

/** Programs that ignore the switch. */
const FLAGGED = "Chromium and Electron show none unless started with --force-renderer-accessibility";

/**
 * Reports the state of accessibility, without starting it. Never reported as a fault, since deskhand works
 * without accessibility.
 */
export function inspectAccessibility(): Finding {
  const name = "elements";
  try {
    return { name, ok: true, ...onSession(stateOf) };
  } catch (error) {
    if (!(error instanceof ExpectedError)) throw error;
    return { name, ok: true, isAbsent: true, detail: `none (optional): ${error.message}` };
  }
}

function stateOf(session: Bus): Pick<Finding, "isAbsent" | "detail"> {
  const state = accessibilityState(session);
  if (state !== "missing") return { detail: stateText(session, state) };
  const detail =
    "none (optional): this session has no accessibility bus. To install it: apt install at-spi2-core " +
    "(Fedora: dnf install at-spi2-core, Arch: pacman -S at-spi2-core)";
  return { isAbsent: true, detail };
}

function stateText(session: Bus, state: "startable" | "running"): string {
  if (state === "startable") {
    return `of programs that request accessibility, which starts the bus; ${FLAGGED}`;
  }
  return isEnabled(session)
    ? `accessibility is on: programs show them; ${FLAGGED}`
    : "accessibility is off: GTK programs and LibreOffice show them anyway, others do not. To turn it on, type at " +
      `the prompt: elements on; the setting persists, and Qt programs must be restarted. ${FLAGGED}`;
}
