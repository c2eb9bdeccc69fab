/**
 * xdotool scripts on Wayland desktops: possible commands are executed, all others are refused with the
 * reason.
 */

import { assertEquals, assertMatch } from "@std/assert";
import { COMMAND_NAMES, REFUSED_NAMES } from "../../../cli/xdotool/call.ts";
import { GnomeDesktop } from "../../../ffi/wayland/gnome/way.ts";
import { openWayland } from "../../../ffi/wayland/mod.ts";
import { GNOME, Gnome } from "../../support/gnome.ts";
import { KWIN, Kwin } from "../../support/kwin.ts";
import { need } from "../../support/need.ts";
import { SWAY, Sway } from "../../support/sway.ts";
import { startInSession } from "../../support/ordinary_user.ts";
import { until } from "../../support/shell.ts";
import type { UserSession } from "../../support/user_session.ts";
import { wevEvents } from "../../support/compositors.ts";
import type { Client } from "../../support/xvfb.ts";
import { type Ended, run } from "./stage.ts";

/** The test's own desktop. */
interface Desk extends AsyncDisposable {
  spawn(program: string, ...args: string[]): Client;
  run(words: string[], input?: string): Promise<Ended>;
}

/** A row of the table. */
interface Row {
  name: string;
  needs: { ignore: boolean };
  start(): Promise<Desk>;
  /** Whether wev's window is not listed: GNOME lists none, and wev is not on the accessibility bus. */
  isUnlisted?: true;
  /** Messages of the commands that act on missing windows, by command name. */
  refusals: Readonly<Record<string, RegExp>>;
}

async function onSway(): Promise<Desk> {
  const sway = await Sway.start();
  const keyboard = await openWayland(sway.socket); // without it a seat has none, and windows get no focus
  await keyboard.pointer.move({ x: 1, y: 1 });
  return {
    spawn: (program, ...args) => sway.spawn(program, ...args),
    run: (words, input) => run("deskhand", words, sway.env, { input }),
    async [Symbol.asyncDispose]() {
      keyboard.close();
      await sway[Symbol.asyncDispose]();
    },
  };
}

/** Runs deskhand as a session's user. */
async function inSession(session: UserSession, words: string[], input = ""): Promise<Ended> {
  const env = { XDG_STATE_HOME: `${session.env.HOME}/state` };
  await using program = await startInSession(session, ["xdotool", ...words], { env, clearEnv: true });
  if (input) await program.write(input.replace(/\n$/, ""));
  await program.endInput();
  return await program.ended();
}

async function onKde(): Promise<Desk> {
  const kwin = await Kwin.start();
  return {
    spawn: (program, ...args) => kwin.spawn(program, ...args),
    run: (words, input) => inSession(kwin.session, words, input),
    [Symbol.asyncDispose]: () => kwin[Symbol.asyncDispose](),
  };
}

async function onGnome(): Promise<Desk> {
  const gnome = await Gnome.start(), run = gnome.env.XDG_RUNTIME_DIR;
  const session = { socket: gnome.socket, buses: [`${run}/bus`], pipewire: `${run}/pipewire-0` };
  const keyboard = (await GnomeDesktop.open(session))!;
  await keyboard.keyboard.key("shift", true);
  await keyboard.keyboard.key("shift", false);
  return {
    spawn: (program, ...args) => gnome.spawn(program, ...args),
    run: (words, input) => inSession(gnome.session, words, input),
    async [Symbol.asyncDispose]() {
      keyboard.close();
      await gnome[Symbol.asyncDispose]();
    },
  };
}

const WEV = need("wev", "stdbuf");
const TILED = /sway tiles this window; only floating windows can be moved/;
const NO_WINDOW = /window/;
const DESKS: readonly Row[] = [
  {
    name: "sway",
    needs: { ignore: SWAY.ignore || WEV.ignore },
    start: onSway,
    refusals: {
      windowmove: TILED,
      windowsize: TILED,
      windowminimize: /the compositor did not make this window minimized/,
    },
  },
  {
    name: "KDE",
    needs: { ignore: KWIN.ignore || WEV.ignore },
    start: onKde,
    refusals: {},
  },
  {
    name: "GNOME",
    needs: { ignore: GNOME.ignore || WEV.ignore },
    start: onGnome,
    isUnlisted: true,
    get refusals() {
      return Object.fromEntries(WINDOWS.map(([line]) => [line.split(" ")[0], NO_WINDOW]));
    },
  },
];

/** The input that a program receives, by the line that sends it: kinds and names, without positions. */
const INPUT: readonly [line: string, ...received: string[]][] = [
  ["key a", "pressed a", "released a"],
  ["key --delay 1 Return F5", "pressed Return", "released Return", "pressed F5", "released F5"],
  ["key ctrl+a", "pressed Control_L", "pressed a", "released Control_L", "released a"],
  ["keydown shift key b keyup shift", "pressed Shift_L", "pressed B", "released B", "released Shift_L"],
  ["type --delay 1 ab", "pressed a", "released a", "pressed b", "released b"],
  ["mousemove 640 360 click 1", "left pressed", "left released"],
  ["mousemove 641 360 click --repeat 2 --delay 1 3", ...twice("right pressed", "right released")],
  ["mousedown 2 mouseup 2", "middle pressed", "middle released"],
];

function twice(...events: string[]) {
  return [...events, ...events];
}

/**
 * The key that is pressed before the compared keys: on a busy desktop, wev may receive late the keys that
 * were pressed before it started.
 */
const FIRST_KEY = "F12";

/**
 * wev's events after those of {@linkcode FIRST_KEY}, without positions. It prints each once more for every
 * keyboard added since its start.
 */
function received(printed: string): string[] {
  const events = wevEvents(printed).map((event) => event.split(" ").slice(0, 2).join(" "));
  const first = events.lastIndexOf(`released ${FIRST_KEY}`);
  return first < 0 ? [] : events.slice(first + 1).filter((event, i, all) => event !== all[i - 1]);
}

/** Lines that need no window, such as those about positions, and each one's output. */
const PLACES: readonly [line: string, printed?: RegExp][] = [
  ["# a comment"],
  ["mousemove 100 120"],
  ["getmouselocation", /^x:100 y:120 screen:0 window:\d+$/],
  ["mousemove 10 20"],
  ["mousemove restore"],
  ["mousemove_relative 5 6"],
  ["getmouselocation --shell", /^X=105\nY=126\nSCREEN=0\nWINDOW=\d+$/],
  ["getdisplaygeometry", /^1280 720$/],
  ["mousemove 5000 -3 getmouselocation", /^x:1279 y:0 screen:0 window:\d+$/],
  ["exec --sync --args 2 echo done sleep 0.01 version", /^done\nxdotool version \S+$/],
  ["help", /^Available commands:(?:\n {2}\w+)+$/],
];

/** Lines about wev's window W, and each one's output on desktops that list windows. */
const WINDOWS: readonly [line: string, printed?: RegExp][] = [
  ["search --class ^WEV$", /^W$/],
  ["search --onlyvisible --all --name --class wev getwindowname", /^wev$/],
  ["getwindowname W", /^wev$/],
  ["getwindowclassname W", /^wev$/],
  ["getwindowpid W", /^\d+$/],
  ["getwindowgeometry W", /^Window W\n {2}Position: \d+,\d+ \(screen: 0\)\n {2}Geometry: \d+x\d+$/],
  ["windowactivate --sync W getwindowname W", /^wev$/],
  ["windowfocus --sync W"],
  ["windowraise W"],
  ["getactivewindow", /^W$/],
  ["getwindowfocus", /^W$/],
  ["windowmove --sync W 10 20"],
  ["windowsize --sync W 300 200"],
  ["mousemove --window W 5 6"],
  ["windowstate --add FULLSCREEN W"],
  ["getwindowgeometry --shell W", /^WINDOW=W\nX=0\nY=0\nWIDTH=1280\nHEIGHT=720\nSCREEN=0$/],
  ["windowstate --remove FULLSCREEN W"],
  ["windowminimize --sync W"],
  ["windowmap --sync W"],
  ["windowactivate --sync W"],
  ["key --window W z"],
  ["windowclose W"],
];

const UNSUPPORTED = /: deskhand does not support this command; on X11, use xdotool itself/;

/** Lines that no desktop supports, and each one's message. */
const REFUSED: readonly [line: string, message: RegExp][] = [
  ["get_desktop getmouselocation", UNSUPPORTED], // a chain ends there
  ...REFUSED_NAMES.map((name): [string, RegExp] => [`${name} 1`, UNSUPPORTED]),
  ["search --desktop 1 wev", /./], // what it searches for comes first
  ["windowsize --usehints 1 10 10", /size hints/],
  ["windowquit 99999", /there is no window 99999|other programs' windows/],
  ["click 99", /button must be from 1 to 9, not 99/],
];

const scriptOf = (lines: readonly (readonly [line: string, ...rest: unknown[]])[]) =>
  lines.map(([line]) => `${line}\n`).join("");

/** The pattern of texts that are printed one after the other, each with a line feed. */
function inOrder(patterns: readonly (RegExp | undefined)[]): RegExp {
  const given = patterns.filter((pattern) => pattern !== undefined);
  return new RegExp(`^${given.map(({ source }) => `${source.replace(/^\^|\$$/g, "")}\n`).join("")}$`);
}

Deno.test("a line tests every xdotool command", () => {
  const lines = [...INPUT, ...PLACES, ...WINDOWS, ...REFUSED].map(([line]) => line);
  const words = new Set(lines.flatMap((line) => line.split(" ")));
  assertEquals(COMMAND_NAMES.filter((name) => !words.has(name)), []);
});

for (const { name, needs, start, refusals, isUnlisted = false } of DESKS) {
  Deno.test({
    ...needs,
    name: `xdotool's scripts on ${name}`,
    async fn(t) {
      await using desk = await start();
      await using wev = desk.spawn("stdbuf", "-oL", "wev");
      await wev.printing((text) => /wl_keyboard\] enter/.test(text));
      const run = (text: string) => desk.run(["-"], text);

      // Each start takes long if another user's Deno has to read the sources, so one script does as much as
      // it can.
      await t.step("input arrives", async () => {
        const wanted = INPUT.flatMap(([, ...all]) => all);
        assertEquals(await run(scriptOf([[`key ${FIRST_KEY}`], ...INPUT])), {
          code: 0,
          stdout: "",
          stderr: "",
        });
        await until(() => received(wev.printed), (events) => events.length >= wanted.length).catch(() => {});
        assertEquals(received(wev.printed), wanted);
      });

      await t.step("moves the pointer and reports its position", async () => {
        const { code, stdout, stderr } = await run(scriptOf(PLACES));
        assertEquals([code, stderr], [0, ""]);
        assertMatch(stdout, inOrder(PLACES.map(([, printed]) => printed)));
      });

      await t.step("windows are searched and changed, or each command says why not", async () => {
        const found = await desk.run(["search", "--name", "wev"]);
        assertMatch(found.stdout, isUnlisted ? /^$/ : /^\d+\n$/);
        assertEquals([found.code, found.stderr], [isUnlisted ? 1 : 0, ""]);
        const asked = WINDOWS.filter(([line]) => !isUnlisted || !line.startsWith("search"));
        const id = found.stdout.trim() || "1",
          lines = asked.map(([line]) => [line.replaceAll(/\bW\b/g, id)]);
        const { stdout, stderr } = await run(scriptOf(lines as [string][]));
        const isRefused = ([line]: typeof WINDOWS[number]) => line.split(" ")[0] in refusals;
        const printed = asked.filter((row) => !isRefused(row)).map(([, printed]) =>
          printed && new RegExp(printed.source.replaceAll(/\bW\b/g, id))
        );
        assertMatch(stdout, inOrder(printed));
        const messages = stderr.split("\n").filter(Boolean), wanted = asked.filter(isRefused);
        assertEquals(messages.length, wanted.length, stderr);
        for (const [i, [line]] of wanted.entries()) assertMatch(messages[i], refusals[line.split(" ")[0]]);
        if (isUnlisted) return;
        await wev.printing((text) => received(text).includes("pressed z"));
        assertEquals(await desk.run(["search", "--name", "wev"]), { code: 1, stdout: "", stderr: "" });
      });

      await t.step("an impossible command says so, and exits like a failing xdotool", async () => {
        const { code, stdout, stderr } = await run(scriptOf(REFUSED));
        assertEquals([code, stdout], [1, ""]);
        const messages = stderr.trimEnd().split("\n").filter((line) => !/^Defaulting/.test(line));
        assertEquals(messages.length, REFUSED.length, stderr);
        for (const [i, [, message]] of REFUSED.entries()) assertMatch(messages[i], message);
      });
    },
  });
}
