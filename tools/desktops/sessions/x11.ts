/** X11 sessions: a headless server, and the desktop's session program. */

import type { Row } from "../rows.ts";
import type { Bench } from "../field.ts";
import { DENO_INSIDE, SOURCE_INSIDE } from "../sandbox.ts";
import type { Session } from "../session.ts";
import { mustCome, waitFor } from "../waiting.ts";
import { startBase } from "./base.ts";
import { awaitEngine, nameInputMethod, startInputMethod } from "./input_method.ts";
import { type Aid, type Kind, SCREEN, SMALLER } from "./kind.ts";

const size = `${SCREEN.width}x${SCREEN.height}`;

/** The servers: the command, and the one required before it. */
const SERVERS = {
  xvfb: { command: `Xvfb :0 -screen 0 ${size}x24 -noreset -nolisten tcp` },
  xvnc: { command: `Xtigervnc :0 -geometry ${size} -depth 24 -SecurityTypes None -localhost -rfbport 5900` },
  xephyr: {
    command: `Xephyr :0 +xinerama -screen ${size} -screen 1024x768 -noreset -nolisten tcp`,
    within: "Xvfb :1 -screen 0 2400x800x24 -noreset -nolisten tcp",
  },
} as const;

/** The smaller size's timings, as xrandr(1) expects them; a headless server requires but ignores them. */
const MODE_LINE = `50 ${SMALLER.width} 1072 1104 1200 ${SMALLER.height} 603 613 624`;

/** Files without which a session asks a question on its first start. */
const SETTINGS: Readonly<Record<string, readonly [path: string, text: string]>> = {
  startlxqt: [".config/lxqt/session.conf", "[General]\nwindow_manager=openbox\n"],
  i3: [
    ".config/i3/config",
    "font pango:monospace 8\nbindsym Mod4+Return exec xterm\nbindsym Mod4+d exec true\n",
  ],
};

/** The program that uses the X server's keyboard as a user does. */
const PERSON = `${DENO_INSIDE} run -q -A --cached-only ${SOURCE_INSIDE}/tools/desktops/person.ts`;
/** Keycodes of a user's keys. */
const KEYCODES = { a: 38, y: 29, shift: 50 } as const;

/** X11 sessions. */
export const X11: Kind = {
  async start(session: Session, row: Row): Promise<void> {
    const server = SERVERS[row.server ?? "xvfb"];
    session.env.XDG_SESSION_TYPE = "x11";
    if ("within" in server) {
      session.launch("outer", server.within);
      await session.ready("the outer X server", "DISPLAY=:1 xset q");
    }
    session.launch("server", "within" in server ? `env DISPLAY=:1 ${server.command}` : server.command);
    session.env.DISPLAY = ":0";
    await session.ready("the X server", "xset q");
    await startBase(session);
    nameInputMethod(session, row.inputMethod);
    await startInputMethod(session, row.inputMethod);
    const settings = SETTINGS[row.command];
    if (settings) session.write(...settings);
    session.launch("session", row.command);
    await session.ready(
      "the window manager",
      "xprop -root _NET_SUPPORTING_WM_CHECK | grep -q 'window id'",
      90,
    );
    await awaitEngine(session, row.inputMethod);
    // Panels and the desktop appear after the window manager.
    let last = "";
    await waitFor(() => session.run("xwininfo -root -tree | grep -c 0x"), (count) => {
      const isStill = count === last;
      last = count;
      return isStill;
    }, 20);
  },
  async activeTitle(session: Session): Promise<string> {
    return await session.run("xdotool getwindowfocus getwindowname");
  },
  async pointer(session: Session): Promise<{ x: number; y: number }> {
    const printed = await session.run("xdotool getmouselocation");
    const [, x, y] = /x:(-?\d+) y:(-?\d+)/.exec(printed) ?? [];
    return { x: Number(x), y: Number(y) };
  },
  move: (session: Session, { x, y }) => session.run(`xdotool mousemove ${x} ${y}`),
  press: (session: Session, keys: string) => session.run(`xdotool key ${keys}`),
  async resize(session: Session): Promise<void> {
    const name = `${SMALLER.width}x${SMALLER.height}`;
    const output = /^(\S+) connected/m.exec(await session.run("xrandr"))?.[1];
    if (!output) throw new Error("the X server has no outputs");
    await session.run(`xrandr --newmode ${name} ${MODE_LINE} && xrandr --addmode ${output} ${name}`);
    await session.run(`xrandr --output ${output} --mode ${name}`);
    const current = `current ${SMALLER.width} x ${SMALLER.height}`;
    await mustCome("the size did not change", () => session.run("xrandr"), (text) => text.includes(current));
  },
  person: {
    async press({ session }: Bench, key: keyof typeof KEYCODES, down: boolean): Promise<void> {
      if (down) await session.run("xset r off"); // a user's held key would repeat
      await session.run(`${PERSON} key ${KEYCODES[key]} ${Number(down)}`);
    },
    layout: ({ session }: Bench, name: string) => session.run(`${PERSON} layout ${name}`),
    aid: ({ session }: Bench, aid: Aid | undefined) => session.run(`${PERSON} aid ${aid ?? "none"}`),
    leave: ({ session }: Bench) => session.run("xdotool set_num_desktops 2 set_desktop 1"),
  },
  server: ({ server }: Row) => ({ xvfb: "Xvfb", xvnc: "Xtigervnc", xephyr: "Xephyr" })[server ?? "xvfb"],
};
