/** Desktops with deskhand for client scripts, and other programs that report the input that arrived. */

import { DESKTOPS, type Terminal } from "../support/desktops.ts";
import { statusOf } from "../support/uploads.ts";
import { GNOME, Gnome } from "../support/gnome.ts";
import { KWIN, Kwin } from "../support/kwin.ts";
import { need } from "../support/need.ts";
import { Program } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { startInSession } from "../support/ordinary_user.ts";
import type { UserSession } from "../support/user_session.ts";
import { wevEvents, withoutLoneReleases } from "../support/compositors.ts";
import type { Client } from "../support/xvfb.ts";

/** A desktop with a running deskhand. */
export interface Stage extends AsyncDisposable {
  url: string;
  /** Titles of all windows, or why they are not available. */
  titles: string[] | string;
  /** Text that the terminal receives: on GNOME without an input method, only characters that a key types. */
  text: string;
  /** The active window's title; null without a window manager or titles. */
  active?: string | null;
  /** Starts a program whose window covers the middle of the screen and has focus. */
  witness(): Promise<StageWitness>;
  /** Starts a terminal that has focus and saves the typed text. */
  terminal(): Promise<Terminal>;
}

/** A program that reports the input that it received. */
interface StageWitness extends AsyncDisposable {
  /** The events, such as `left pressed`, `up` or `pressed F5`, without positions. */
  events(): string[];
}

/** A row of the table. */
export interface StageRow {
  name: string;
  needs: { ignore: boolean };
  start(): Promise<Stage>;
}

const ANY_TEXT = "Hello, World! 1+1=2? héllo €";
const WEV = need("wev", "stdbuf", "foot", "konsole").ignore;

/** Desktops without a session. */
export const BARE_STAGES: readonly StageRow[] = DESKTOPS.map((row, i) => ({
  name: row.name,
  needs: row.needs,
  start: () => onBare(row, ["Event Tester", "wev"][i], [null, "wev"][i]),
}));

/** Whole sessions. */
export const SESSION_STAGES: readonly StageRow[] = [
  { name: "GNOME", needs: { ignore: GNOME.ignore || WEV }, start: onGnome },
  { name: "KDE", needs: { ignore: KWIN.ignore || WEV }, start: onKde },
];

async function onBare(
  row: typeof DESKTOPS[number],
  title: string,
  active: string | null,
): Promise<Stage> {
  const desktop = await row.start();
  const program = new Program(["--http", "0"], { env: desktop.env });
  return {
    url: await program.controlUrl(),
    titles: [title],
    active,
    text: ANY_TEXT,
    async witness() {
      const witness = await desktop.witness();
      return {
        events: () => witness.events().map(withoutPlace),
        [Symbol.asyncDispose]: () => witness[Symbol.asyncDispose](),
      };
    },
    terminal: () => desktop.terminal(),
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
    },
  };
}

async function onGnome(): Promise<Stage> {
  const gnome = await Gnome.start(), program = await startInSession(gnome.session, ["--http", "0"]);
  const url = await program.controlUrl();
  // Without a mouse, GNOME offers programs no pointer and no keyboard before deskhand's own.
  for (const [path, body] of [["move", '{"x":300,"y":300}'], ["key", '{"keys":"shift"}']]) {
    await statusOf(fetch(`${url}/api/${path}`, { method: "POST", body }));
  }
  const hasFocus = () => until(() => gnome.evaluate<boolean>("global.display.focus_window !== null"));
  return {
    url,
    titles: [], // programs without elements, such as wev, are not listed
    active: null,
    text: "Hello, World! 1+1=2?",
    async witness() {
      const wev = await shownWev(gnome);
      await hasFocus();
      await gnome.evaluate("global.display.focus_window.maximize(3)");
      await until(() => gnome.evaluate<boolean>("global.display.focus_window.get_frame_rect().width > 1200"));
      return wevWitness(wev);
    },
    async terminal() {
      const terminal = await terminalOf(gnome, gnome.session, ["foot"]);
      await hasFocus();
      return terminal;
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await gnome[Symbol.asyncDispose]();
    },
  };
}

async function onKde(): Promise<Stage> {
  const kwin = await Kwin.start();
  const program = await kwin.program("--http", "0"), url = await program.controlUrl();
  const windows = async () => (await (await fetch(`${url}/api/windows`)).json()).windows;
  const hasFocus = () => until(windows, (all) => all.some(({ active }: { active: boolean }) => active));
  return {
    url,
    titles: ["wev"],
    active: "wev",
    text: ANY_TEXT,
    async witness() {
      const wev = await shownWev(kwin);
      await hasFocus();
      const maximize = { method: "POST", body: '{"title":"wev"}' };
      await statusOf(fetch(`${url}/api/window/maximize`, maximize));
      const witness = wevWitness(wev);
      return { ...witness, events: () => withoutLoneReleases(witness.events()) };
    },
    async terminal() {
      const konsole = ["env", "QT_QPA_PLATFORM=wayland", "konsole", "-e"];
      const terminal = await terminalOf(kwin, kwin.session, konsole);
      await hasFocus();
      return terminal;
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await kwin[Symbol.asyncDispose]();
    },
  };
}

/** Starts wev and waits until it has focus. */
async function shownWev(desktop: { spawn(program: string, ...args: string[]): Client }): Promise<Client> {
  const wev = desktop.spawn("stdbuf", "-oL", "wev");
  await wev.printing((text) => /wl_keyboard\] enter/.test(text));
  return wev;
}

function wevWitness(wev: Client): StageWitness {
  const ways: Record<string, string> = {
    "vertical -": "up",
    "vertical ": "down",
    "horizontal -": "left",
    "horizontal ": "right",
  };
  return {
    events: () =>
      withoutLoneReleases(
        wevEvents(wev.printed).map((event) =>
          withoutPlace(event.replace(/^((?:vertical|horizontal) -?)\d.*/, (_, way: string) => ways[way]))
        ),
      ),
    [Symbol.asyncDispose]: () => wev[Symbol.asyncDispose](),
  };
}

/** Starts a terminal that saves the typed text. */
async function terminalOf(
  desktop: { spawn(program: string, ...args: string[]): Client },
  { env }: UserSession,
  [program, ...args]: string[],
): Promise<Terminal> {
  const file = `${env.HOME}/received`;
  const script = `stty raw -echo; : >${file}; exec cat >${file}`;
  const terminal = desktop.spawn(program, ...args, "sh", "-c", script);
  await until(() => Deno.stat(file).then(() => true, () => false));
  return {
    received: () => Deno.readTextFile(file),
    [Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
  };
}

function withoutPlace(event: string): string {
  return event.replace(/ -?[\d.]+,-?[\d.]+$/, "");
}
