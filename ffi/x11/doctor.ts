/** Findings of `deskhand doctor` on X11: which parts work, and how to make the others work. */

import { NoDesktopError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { Finding } from "../permission.ts";
import { inspectTurboJpeg } from "../jpeg.ts";
import { ScreenCapture } from "./capture.ts";
import { Connection } from "./connection.ts";
import { queryLayout } from "./screen.ts";
import { Keymap, LOCK_MASK } from "./keymap.ts";
import { inspectLibraries } from "./libraries.ts";

/** Server extensions with their purposes; for optional extensions, also what is slower without them. */
const EXTENSIONS: [name: string, purpose: string, cost?: string][] = [
  ["XTEST", "sending input"],
  ["XKEYBOARD", "keys and text"],
  ["XInputExtension", "recording input"],
  ["MIT-SHM", "fast pictures"],
  ["RANDR", "several displays"],
  ["XFIXES", "the pointer's picture"],
  ["DAMAGE", "a fast live picture", "the live picture uses more CPU and has a lower frame rate"],
];

/** Checks everything that controlling an X11 desktop needs. Moves and presses nothing, and never throws. */
export async function inspectX11(): Promise<Finding[]> {
  const libraries = inspectLibraries().map(({ name, found, packages, cost }): Finding => ({
    name: `library ${name}`,
    ok: found !== undefined || cost !== undefined,
    isAbsent: found === undefined && cost !== undefined,
    detail: found ? `found ${found}` : cost ? `not installed (optional): ${cost}. ${packages}` : packages,
  }));
  return [
    session(),
    ...libraries,
    inspectTurboJpeg(),
    ...await server(),
    ...await inputMethod(),
    await elements(),
  ];
}

/** The state of accessibility, through which programs expose their elements. */
async function elements(): Promise<Finding> {
  return (await import("../atspi/bus.ts")).inspectAccessibility();
}

/** The session according to the environment; another finding reports whether an X server answers. */
function session(): Finding {
  const type = Deno.env.get("XDG_SESSION_TYPE");
  if (Deno.env.get("WAYLAND_DISPLAY")) {
    const detail =
      "Wayland: deskhand reaches only programs that run under XWayland, and sees only their pictures; " +
      "log in with an X11 (Xorg) session to control the whole desktop";
    return { name: "session", ok: false, detail };
  }
  return {
    name: "session",
    ok: true,
    isAbsent: !type,
    detail: type ? `XDG_SESSION_TYPE is ${type}` : "XDG_SESSION_TYPE is not set",
  };
}

/** The enabled IBus engine, if it would convert keys to other text. */
async function inputMethod(): Promise<Finding[]> {
  const display = Deno.env.get("DISPLAY");
  if (!display) return [];
  return await (await import("../linux/input_method/input_methods.ts")).engineFinding({ display });
}

/** The ways to get a display, one per line. */
const HOW_TO_GET_A_DISPLAY = [
  "For one in memory, type: Xvfb :99 -screen 0 1280x720x24 & export DISPLAY=:99",
  "Xvfb comes with: apt install xvfb (Fedora: dnf install xorg-x11-server-Xvfb, Arch: pacman -S xorg-server-xvfb)",
  "Without any X server: deskhand --desktop virtual",
].join("\n");

async function server(): Promise<Finding[]> {
  const display = Deno.env.get("DISPLAY");
  if (!display) return [noDisplay("DISPLAY is not set")];
  try {
    using connection = await Connection.openAside(display);
    if (!connection) {
      const why = "no X server is there, or it does not let this user in (see XAUTHORITY, xhost)";
      return [noDisplay(`${printable(display)} cannot be opened: ${why}`)];
    }
    return [
      { name: "display", ok: true, detail: `${printable(display)}, ${vendor(connection)}` },
      screen(connection),
      ...EXTENSIONS.map((row) => extension(connection, ...row)),
      keyboard(connection),
      picture(connection),
    ];
  } catch (error) {
    const detail = error instanceof NoDesktopError
      ? "not looked at: a library is missing, see above"
      : (error as Error).message;
    return [{ name: "display", ok: false, detail }];
  }
}

function noDisplay(why: string): Finding {
  return { name: "display", ok: false, detail: `${why}\n${HOW_TO_GET_A_DISPLAY}` };
}

function vendor({ libraries: { x11 }, display }: Connection): string {
  const name = x11.XServerVendor(display);
  return name ? new Deno.UnsafePointerView(name).getCString() : "unknown server";
}

function screen(connection: Connection): Finding {
  const { width, height, displays } = queryLayout(connection);
  const list = displays.map((d) =>
    `${d.name} ${d.width}x${d.height} at ${d.x},${d.y}${d.primary ? ", primary" : ""}`
  );
  return { name: "screen", ok: true, detail: `${width}x${height} (${list.join("; ")})` };
}

function extension(connection: Connection, name: string, purpose: string, cost?: string): Finding {
  const isThere = connection.extension(name) !== undefined;
  const isAbsent = !isThere && cost !== undefined;
  const detail = isThere
    ? `there, for ${purpose}`
    : `missing${isAbsent ? " (optional)" : ""}: ${cost ?? `no ${purpose}`}`;
  return { name: `extension ${name}`, ok: isThere || isAbsent, isAbsent, detail };
}

function keyboard(connection: Connection): Finding {
  const keymap = Keymap.read(connection);
  const capsLock = keymap.lockedMods & LOCK_MASK ? "; Caps Lock is on" : "";
  const unused = keymap.unused.length;
  return {
    name: "keyboard map",
    ok: unused > 0,
    detail: `${unused} keycodes free for characters that no key has${capsLock}`,
  };
}

function picture(connection: Connection): Finding {
  const capture = new ScreenCapture(connection);
  try {
    capture.take({ x: 0, y: 0, width: 1, height: 1 });
    return { name: "picture", ok: true, detail: "the screen can be read" };
  } catch (error) {
    return { name: "picture", ok: false, detail: (error as Error).message };
  } finally {
    capture.close();
  }
}
