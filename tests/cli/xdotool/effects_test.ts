/** xdotool's effects, seen by other programs: both run the same lines, each from the same state. */

import { assertEquals, assertNotEquals } from "@std/assert";
import { need, needTime } from "../../support/need.ts";
import { until } from "../../support/shell.ts";
import { Terminal } from "../../support/terminal.ts";
import type { Client } from "../../support/xvfb.ts";
import { type Ended, Stage, start, type Which, wordsOf, XDOTOOL } from "./stage.ts";

/** Lines by subject; `{fresh}` is a window that is opened only for the line. */
const LINES: Record<string, readonly string[]> = {
  mousemove: [
    "mousemove 50 60",
    "mousemove --sync 60 70",
    "mousemove --screen 0 61 71",
    "mousemove --polar 45 100",
    "mousemove 0 0 sleep 0.01 mousemove restore mousemove 1 2",
    "mousemove_relative 7 8",
    "mousemove_relative --sync -- -7 -8",
    "mousemove_relative --polar 30 100",
    "keydown shift mousemove --clearmodifiers 62 72 keyup shift",
    "keydown shift mousemove_relative --clearmodifiers 3 4 keyup shift",
  ],
  buttons: [
    "click 1",
    "click 3",
    "click 4",
    "click --repeat 3 --delay 5 2",
    "mousedown 1 mousemove 310 260 mouseup 1",
    "keydown ctrl click --clearmodifiers 1 keyup ctrl",
    "keydown ctrl mousedown --clearmodifiers 1 mouseup --clearmodifiers 1 keyup ctrl",
    "mousemove 400 200 click --delay 0 1 mousemove 420 210 click 9",
  ],
  keys: [
    "key a",
    "key Return F5 space",
    "key ctrl+a",
    "key ctrl+t Escape",
    "key --delay 1 a b c mousemove 20 20",
    "key --repeat 3 --repeat-delay 5 x",
    "keydown a keyup a",
    "keydown --delay 5 a ctrl+b keyup --delay 5 a ctrl+b",
    "keydown shift keydown --clearmodifiers b keyup --clearmodifiers b keyup shift",
    "keydown shift key b keyup shift",
    "keydown shift key --clearmodifiers b keyup shift",
    "key nonesuch+c",
    "key alt+F2 super+x",
  ],
  type: [
    "type --clearmodifiers ab",
    "type --args 1 one mousemove 30 30",
    "type --args 2 one two mousemove 30 30",
    "type --terminator END one two END mousemove 30 31",
  ],
  "window states": [
    "windowactivate --sync {terminal}",
    "windowminimize --sync {fresh}",
    "windowminimize --sync {fresh} windowactivate --sync {fresh}",
    "windowclose {fresh}",
  ],
};

/**
 * Lines whose characters are the same, though each program presses and releases modifiers in its own order.
 * For a line feed deskhand presses Return, which programs know, and xdotool a Linefeed key.
 */
const TYPED: readonly [deskhand: string, xdotool?: string][] = [
  ["key A"],
  ["key ctrl+shift+t Escape"],
  ["type Hello,~World!"],
  ["type --delay 1 aZ09~~x"],
  ["type {}[]\\|@#$%^&*"],
  ["type --file - --delay 0", "type --args 1 from~a~file key Return"],
];

/** A line's standard input. */
const INPUT = "from a file\n";

/**
 * Lines in which deskhand differs (docs/xdotool.md, "What differs"), and xdotool lines with the same effect:
 * input goes to the active window, positions and sizes are those of frames, and raised windows become active.
 */
const OWN: readonly [deskhand: string, xdotool: string][] = [
  ["windowraise {terminal}", "windowactivate --sync {terminal}"],
  ["windowfocus --sync {terminal}", "windowactivate --sync {terminal}"],
  ["mousemove --window {editor} 5 6", "mousemove 105 106"],
  ["search --name ^Editor$ mousemove --window %1 7 8", "mousemove 107 108"],
  ["click --window {editor} 1", "click 1"],
  ["mousedown --window {editor} 2 mouseup --window {editor} 2", "mousedown 2 mouseup 2"],
  ["key --window {editor} a ctrl+b", "key a ctrl+b"],
  ["search --name ^Editor$ key a", "key a"],
  ["keydown --window {editor} a keyup --window {editor} a", "keydown a keyup a"],
  ["type --window {editor} hi", "type hi"],
  ["windowmove {editor} 30 40", "windowmove {editor} 30 40"],
  ["windowmove --sync {editor} 31 41", "windowmove {editor} 31 41"],
  ["windowmove --relative {editor} 5 6", "windowmove {editor} 105 106"],
  ["windowmove {editor} x 51", "windowmove {editor} 100 51"],
  ["windowmove {editor} 52 y", "windowmove {editor} 52 100"],
  ["windowmove {editor} 10% 20%", "windowmove {editor} 128 144"],
  [
    "search --name ^(Editor|Terminal)$ windowmove %@ 70 80",
    "windowmove {editor} 70 80 windowmove {terminal} 70 80",
  ],
  ["getactivewindow windowmove 11 12", "windowmove {editor} 11 12"],
  ["windowsize {editor} 302 225", "windowsize {editor} 300 200"],
  ["windowsize --sync {editor} 303 226", "windowsize {editor} 301 201"],
];

/** The state that other programs see. */
type Seen = Record<string, unknown>;

/** Keys and buttons that xev has received: kind, whether a client sent it, modifiers, key or button. */
function events(printed: string): string[] {
  return printed.split("\n\n").flatMap((block) => {
    const [, kind, sent] = /^(Key(?:Press|Release)|Button\w+) event, .*synthetic (\w+)/m.exec(block) ?? [];
    if (!kind) return [];
    const state = /state (0x\w+)/.exec(block)?.[1];
    const what = /keysym 0x\w+, (\w+)/.exec(block)?.[1] ?? /button (\d+)/.exec(block)?.[1];
    return [`${kind} ${sent} ${state} ${what}`];
  });
}

/** Window properties that lines change. */
const PROPERTIES = "WM_NAME WM_ICON_NAME WM_WINDOW_ROLE WM_CLASS WM_HINTS _NET_WM_DESKTOP";
/** Queries the whole state with one shell and few programs, since each line is followed by several looks. */
const LOOK = `
xdotool getmouselocation
wmctrl -d
xprop -root _NET_ACTIVE_WINDOW _NET_CLIENT_LIST_STACKING
for id in "$@"; do
  echo "window $id"
  xwininfo -id $id -all 2>&1
  echo "properties"
  xprop -id $id ${PROPERTIES} 2>/dev/null
done
true`;
/** xwininfo lines that count. */
const COUNTING = /Absolute|Width|Height|Map State|Override|Parent|error/;

/** The lines of a look that count, without the ids of the window manager's frames, which differ each time. */
function linesOf(look: string): string[] {
  const [first, ...windows] = look.split(/^(?=window )/m);
  return [
    first.replace(/^(x:\d+ y:\d+ screen:\d+) window.*/, "$1"),
    ...windows.flatMap((text) => {
      const [places, properties = ""] = text.split(/^properties\n/m), [id, ...lines] = places.split("\n");
      const counting = lines.filter((line) => COUNTING.test(line));
      return [
        id,
        ...counting.map((line) => line.replace(/(Parent) window id: 0x[0-9a-f]+/, "$1")),
        properties,
      ];
    }),
  ];
}

async function seen({ server, windows, editor }: Stage, fresh: string, from: number): Promise<Seen> {
  const ids = [windows.editor, windows.terminal, ...fresh ? [fresh] : []];
  const text = await server.run("sh", "-c", LOOK, "look", ...ids);
  const hexadecimal = `0x${Number(fresh).toString(16)}`;
  const named = fresh ? text.replaceAll(hexadecimal, "fresh").replaceAll(fresh, "fresh") : text;
  return { lines: linesOf(named), events: events(editor.printed.slice(from)) };
}

/** Runs a line from the same state as every other line; returns the state before it and its result. */
async function prepared<T>(stage: Stage, line: string, use: (fresh: string, before: Seen) => Promise<T>) {
  await using _ = await freshWindow(stage, line);
  const fresh = _.id;
  await stage.reset();
  const from = stage.editor.printed.length;
  return await use(fresh, { ...await seen(stage, fresh, from), from });
}

/** The name, in a line, of the window opened only for it. */
const FRESH = /\{fresh\}/g;

/** A window for lines that name a window; an empty id for others. */
async function freshWindow({ server }: Stage, line: string) {
  if (!line.match(FRESH)) return { id: "", [Symbol.asyncDispose]: () => Promise.resolve() };
  const client: Client = server.spawn("xev", "-name", "Fresh", "-geometry", "200x100+700+50");
  const id = await server.window("--name", "^Fresh$");
  return {
    id,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await until(() => windowSeenIn(server, id), (isThere) => !isThere);
    },
  };
}

async function windowSeenIn(server: Stage["server"], id: string): Promise<boolean> {
  return await server.run("xwininfo", "-id", id).then(() => true, () => false);
}

async function ran(stage: Stage, which: Which, line: string, fresh: string): Promise<Ended> {
  const given = line.includes("--file -") ? { input: INPUT } : {};
  return await stage.run(which, line.replaceAll(FRESH, fresh), given);
}

/** Key presses other than modifiers. */
function presses({ events, ...rest }: Seen): Seen {
  const isPress = (event: string) => /^KeyPress/.test(event) && !/ (?:Shift|Control)_[LR]$/.test(event);
  return { ...rest, events: (events as string[]).filter(isPress) };
}

/**
 * Waits for the result of xdotool's line: a state that differs from the one before, and is seen several
 * times.
 */
async function wantedOf(stage: Stage, line: string): Promise<[Ended, Seen]> {
  return await prepared(stage, line, async (fresh, { from, ...before }) => {
    const ended = await ran(stage, "xdotool", line, fresh);
    let last: Seen = before;
    const after = await until(async () => {
      const now = await seen(stage, fresh, from as number),
        isSteady = JSON.stringify(now) === JSON.stringify(last);
      last = now;
      return isSteady ? now : before;
    }, (now) => JSON.stringify(now) !== JSON.stringify(before));
    return [ended, after];
  });
}

/** @param xdotool The xdotool line with the same effect. */
async function same(
  stage: Stage,
  line: string,
  { xdotool = line, compared = (seen: Seen) => seen } = {},
): Promise<void> {
  const [wanted, whole] = await wantedOf(stage, xdotool), effect = compared(whole);
  await prepared(stage, line, async (fresh, { from, ...before }) => {
    assertNotEquals(compared(before), effect, `${line} has no effect that can be seen`);
    const ended = await ran(stage, "deskhand", line, fresh);
    assertEquals(ended, wanted, line);
    let now: Seen = before;
    const look = async () => now = compared(await seen(stage, fresh, from as number));
    await until(async () => JSON.stringify(await look()) === JSON.stringify(effect)).catch(() =>
      assertEquals(now, effect, line)
    );
  });
}

Deno.test({
  ignore: XDOTOOL.ignore || needTime("runs hundreds of commands, each by two programs").ignore,
  name: "deskhand xdotool does what xdotool does",
  async fn(t) {
    await using stage = await Stage.start();
    for (const [subject, lines] of Object.entries(LINES)) {
      await t.step(subject, async () => {
        for (const line of lines) await same(stage, line);
      });
    }
    await t.step("lines that type characters", async () => {
      for (const [line, xdotool] of TYPED) await same(stage, line, { xdotool, compared: presses });
    });
    await t.step("lines in which deskhand differs", async () => {
      for (const [line, xdotool] of OWN) await same(stage, line, { xdotool });
    });
  },
});

// `search --sync` continues when its window appears.

const LINE = "search --sync --name ^Later$ getwindowname";

/** The output of a chain whose window gets its name while the chain waits. */
async function printed(stage: Stage, which: Which): Promise<string> {
  const name = (text: string) =>
    stage.server.run("xdotool", "set_window", "--name", text, stage.windows.terminal);
  await name("Terminal");
  const child = start(which, wordsOf(LINE, stage.windows), stage.server.env);
  await child.stdin.close();
  const drained = child.stderr.cancel(), text = new Response(child.stdout).text();
  let isOver = false;
  const ended = child.status.then(() => isOver = true);
  await until(async () => {
    await name("Later");
    return isOver;
  });
  await Promise.all([ended, drained]);
  return await text;
}

Deno.test({ ...XDOTOOL, name: "search --sync waits for its window" }, async () => {
  await using stage = await Stage.start();
  assertEquals(await printed(stage, "xdotool"), "Later\n");
  assertEquals(await printed(stage, "deskhand"), "Later\n");
});

Deno.test({
  ...need("Xvfb", "openbox", "xdotool", "xev", "xterm", "tmux"),
  name: "a terminal does not act on a window's title",
}, async () => {
  await using stage = await Stage.start();
  const { terminal } = stage.windows, { env } = stage.server;
  await stage.server.run("xdotool", "set_window", "--name", "a\x1b]0;b\x07\x1b[31mred", terminal);
  const line =
    `DISPLAY=${env.DISPLAY} ${Deno.execPath()} run -q -A main.ts xdotool getwindowname ${terminal}`;
  await using shell = await Terminal.open(line);
  await shell.shows(/^a\\u\{1b\}\]0;b\\u\{7\}\\u\{1b\}\[31mred\nexit 0$/m);
});
