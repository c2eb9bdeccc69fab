/** The same scripts on desktops of Wayland: what can be there is done, the rest is refused with the reason. */

import { assertEquals, assertMatch } from "@std/assert";
import { GnomeDesktop } from "../../../ffi/wayland/gnome/connected_desktop.ts";
import { openWayland } from "../../../ffi/wayland/mod.ts";
import { GNOME, Gnome } from "../../support/gnome.ts";
import { KWIN, Kwin } from "../../support/kwin.ts";
import { need } from "../../support/need.ts";
import { SWAY, Sway } from "../../support/sway.ts";
import { startInSession } from "../../support/user_program.ts";
import { until } from "../../support/until.ts";
import type { UserSession } from "../../support/user_session.ts";
import { wevEvents } from "../../support/wev.ts";
import type { Client } from "../../support/xvfb.ts";
import { type Ended, run, wordsOf } from "./stage.ts";

/** A desktop of the test's own. */
interface Desk extends AsyncDisposable {
  spawn(program: string, ...args: string[]): Client;
  run(words: string[], input?: string): Promise<Ended>;
}

/** A row of the table. */
interface Row {
  name: string;
  needs: { ignore: boolean };
  start(): Promise<Desk>;
  /** What is said where windows are asked for; undefined where they are told. */
  noWindows?: RegExp;
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

/** Runs deskhand as the user of a session. */
async function inSession(session: UserSession, words: string[], input = ""): Promise<Ended> {
  const env = { XDG_STATE_HOME: `${session.env.HOME}/state` };
  await using program = await startInSession(session, ["xdotool", ...words], { env, clearEnv: true });
  if (input) await program.write(input.replace(/\n$/, ""));
  await program.endInput();
  return await program.ended();
}

async function onKde(): Promise<Desk> {
  const kwin = await Kwin.start();
  await using setup = await kwin.program("setup");
  await setup.ended();
  return {
    spawn: (program, ...args) => kwin.spawn(program, ...args),
    run: (words, input) => inSession(kwin.session, words, input),
    [Symbol.asyncDispose]: () => kwin[Symbol.asyncDispose](),
  };
}

async function onGnome(): Promise<Desk> {
  const gnome = await Gnome.start(), run = gnome.env.XDG_RUNTIME_DIR;
  const keyboard = GnomeDesktop.open({
    socket: gnome.socket,
    buses: [`${run}/bus`],
    pipewire: `${run}/pipewire-0`,
  })!;
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
const DESKS: readonly Row[] = [
  { name: "sway", needs: { ignore: SWAY.ignore || WEV.ignore }, start: onSway },
  { name: "KDE", needs: { ignore: KWIN.ignore || WEV.ignore }, start: onKde },
  {
    name: "GNOME",
    needs: { ignore: GNOME.ignore || WEV.ignore },
    start: onGnome,
    noWindows: /GNOME tells no program of other programs' windows/,
  },
];

/** What a program receives, by the line that sends it: kinds and names, without places. */
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

/** wev's events, without places. It prints one more of each for every keyboard that has come since its start. */
function received(printed: string): string[] {
  const events = wevEvents(printed).map((event) => event.split(" ").slice(0, 2).join(" "));
  return events.filter((event, i) => event !== events[i - 1]);
}

/** Lines that no desktop of Wayland can do, and what each says. */
const REFUSED: readonly [line: string, message: RegExp][] = [
  ["get_desktop", /get_desktop: no program is told here of workspaces/],
  ["set_desktop 1", /workspaces/],
  ["get_num_desktops", /workspaces/],
  ["get_desktop_viewport", /workspaces/],
  ["selectwindow", /which window a person clicks on/],
  ["behave_screen_edge left exec true", /reaches an edge/],
  ["windowreparent 1 2", /put into another/],
  ["set_window --name x 1", /properties of other programs' windows/],
  ["click 99", /there is no button 99/],
];

for (const { name, needs, start, noWindows } of DESKS) {
  Deno.test({
    ...needs,
    name: `xdotool's scripts on ${name}`,
    async fn(t) {
      await using desk = await start();
      await using wev = desk.spawn("stdbuf", "-oL", "wev");
      await wev.printing((text) => /wl_keyboard\] enter/.test(text));
      const line = (text: string, input?: string) => desk.run(wordsOf(text, {}), input);

      // Each start takes long where another user's Deno has to read the sources: one script does as much as it can.
      await t.step("input arrives", async () => {
        const script = INPUT.map(([text]) => `${text}\n`).join(""),
          wanted = INPUT.flatMap(([, ...all]) => all);
        assertEquals(await line("-", script), { code: 0, stdout: "", stderr: "" });
        await until(() => received(wev.printed), (events) => events.length >= wanted.length).catch(() => {});
        assertEquals(received(wev.printed), wanted);
      });

      await t.step("a script on standard input moves, and tells where the pointer is", async () => {
        const script =
          "# a comment\nmousemove 100 120\ngetmouselocation\nmousemove 10 20\nmousemove restore\n" +
          "mousemove_relative 5 6\ngetmouselocation --shell\n";
        const { code, stdout, stderr } = await line("-", script);
        assertEquals([code, stderr], [0, ""]);
        assertMatch(stdout, /^x:100 y:120 screen:0 window:\d+\nX=105\nY=126\nSCREEN=0\nWINDOW=\d+\n$/);
        const others = await line(
          "getdisplaygeometry mousemove 5000 -3 getmouselocation exec --sync echo done sleep 0.01",
        );
        assertMatch(others.stdout, /^1280 720\nx:1279 y:0 .*\ndone sleep 0.01\n$/);
      });

      await t.step("windows are searched, or refused", async () => {
        const found = await line("search --name wev getwindowname");
        if (noWindows) {
          assertEquals([found.code, found.stdout], [1, ""]);
          assertMatch(found.stderr, noWindows);
          return;
        }
        assertEquals(found, { code: 0, stdout: "wev\n", stderr: "" });
        const { stdout: id } = await line("search --class ^WEV$ ".trim());
        assertMatch(id, /^\d+\n$/);
        assertEquals(
          (await line(`windowactivate --sync ${id.trim()} getwindowname ${id.trim()}`)).stdout,
          "wev\n",
        );
        assertEquals((await line("getactivewindow")).stdout, id);
        assertEquals(await line("search --name nonesuch"), { code: 1, stdout: "", stderr: "" });
        assertMatch((await line("windowactivate 99999")).stderr, /there is no window 99999/);
      });

      await t.step("what cannot be there says so, and exits as xdotool does for a failure", async () => {
        const { code, stdout, stderr } = await line("-", REFUSED.map(([text]) => `${text}\n`).join(""));
        assertEquals([code, stdout], [1, ""]);
        const messages = stderr.trimEnd().split("\n");
        assertEquals(messages.length, REFUSED.length, stderr);
        for (const [i, [, message]] of REFUSED.entries()) assertMatch(messages[i], message);
        assertEquals((await line("get_desktop getmouselocation")).code, 1); // a chain ends there
      });
    },
  });
}
