/** What works on this X11 desktop and what would make the rest work, for `deskhand doctor`. */

import { NoDesktopError } from "../../core/errors.ts";
import type { Finding } from "../finding.ts";
import { ScreenCapture } from "./capture.ts";
import { Connection } from "./connection.ts";
import { queryLayout } from "./displays.ts";
import { Keymap, LOCK_MASK } from "./keymap.ts";
import { cString, inspectLibraries } from "./libraries.ts";

/** Extensions of the server, and what they are for. */
const EXTENSIONS: [name: string, purpose: string][] = [
  ["XTEST", "sending input"],
  ["XKEYBOARD", "keys and text"],
  ["XInputExtension", "recording input"],
  ["MIT-SHM", "fast pictures"],
  ["RANDR", "several displays"],
  ["XFIXES", "the pointer's picture"],
];

/** Checks everything that controlling an X11 desktop needs. Moves and presses nothing, and never throws. */
export function inspectX11(): Finding[] {
  const libraries = inspectLibraries().map(({ name, found, packages, optional }): Finding => ({
    name: `library ${name}`,
    ok: found !== undefined || optional,
    detail: found
      ? `found ${found}`
      : optional
      ? `not there: BMP pictures take longer. ${packages}`
      : packages,
  }));
  return [session(), ...libraries, ...server()];
}

function session(): Finding {
  const wayland = Deno.env.get("WAYLAND_DISPLAY") || Deno.env.get("XDG_SESSION_TYPE") === "wayland";
  return {
    name: "session",
    ok: !wayland,
    detail: wayland
      ? "Wayland: deskhand reaches only programs that run under XWayland, and sees only their pictures; " +
        "log in with an X11 (Xorg) session to control the whole desktop"
      : "X11",
  };
}

function server(): Finding[] {
  const display = Deno.env.get("DISPLAY");
  if (!display) return [{ name: "display", ok: false, detail: "DISPLAY is not set: no X11 session here" }];
  let connection: Connection | undefined;
  try {
    connection = Connection.open(display);
    if (!connection) return [{ name: "display", ok: false, detail: `${display} cannot be opened` }];
    return [
      { name: "display", ok: true, detail: `${display}, ${vendor(connection)}` },
      screen(connection),
      ...EXTENSIONS.map(([name, purpose]) => extension(connection!, name, purpose)),
      keyboard(connection),
      picture(connection),
    ];
  } catch (error) {
    const detail = error instanceof NoDesktopError
      ? "a library is missing, see above"
      : (error as Error).message;
    return [{ name: "display", ok: false, detail }];
  } finally {
    connection?.close();
  }
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

function extension({ libraries: { x11 }, display }: Connection, name: string, purpose: string): Finding {
  const [opcode, event, error] = [new Int32Array(1), new Int32Array(1), new Int32Array(1)];
  const ok = x11.XQueryExtension(display, cString(name), opcode, event, error) !== 0;
  return { name: `extension ${name}`, ok, detail: ok ? `there, for ${purpose}` : `missing: no ${purpose}` };
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
