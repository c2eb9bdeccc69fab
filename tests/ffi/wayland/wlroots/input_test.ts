/** Wayland-specific pointer and key behavior, on a real compositor; desktops_test.ts tests the rest. */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { delay } from "@std/async/delay";
import { type Held, HeldDown } from "../../../../control/operator/held.ts";
import { DesktopUnavailableError, StateError } from "../../../../core/errors.ts";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import type { Connection } from "../../../../ffi/wayland/wire/connection.ts";
import { PacedMoves } from "../../../../ffi/wayland/wlroots/new_keyboard.ts";
import { startWev, wevEvents } from "../../../support/compositors.ts";
import { need } from "../../../support/need.ts";
import { until } from "../../../support/shell.ts";
import { needOwn, SWAY, Sway } from "../../../support/sway.ts";

const NEEDED = need("sway", "swaymsg", "wev", "stdbuf");

/** Keys and the symbols pressed for them, where they differ from X11. */
const KEYS: string[][] = [
  ["kphome", "KP_Home"],
  ["f13", "F13"],
  ["backtab", "Shift_L", "Tab"],
  ["keysym:0xfe20", "ISO_Left_Tab"],
];

Deno.test({ name: "keys have the symbols of deskhand's own keyboard map", ...NEEDED }, async () => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket), expected: string[] = [];
  await using wev = await startWev(sway);
  for (const [key, ...symbols] of KEYS) {
    for (const down of [true, false]) await desktop.keyboard.key(key, down);
    expected.push(...symbols.map((symbol) => `pressed ${symbol}`));
    expected.push(...symbols.toReversed().map((symbol) => `released ${symbol}`));
  }
  const printed = await wev.printing((text) => wevEvents(text).length >= expected.length);
  assertEquals(wevEvents(printed), expected);
  for (const key of ["ctrl", "shift"]) await desktop.keyboard.key(key, true);
  await until(() => wev.printed, (text) => /depressed: 00000005: Shift Control/.test(text));
  desktop.close();
});

Deno.test({
  name: "a program survives 100,000 moves, even while it is busy, and sees the last one",
  ...NEEDED,
}, async () => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket), other = await openWayland(sway.socket);
  await using wev = await startWev(sway);
  const move = async (i: number) => await desktop.pointer.move({ x: i % 1280, y: i % 720 });
  for (let i = 0; i < 100_000; i++) {
    await move(i);
    if (i % 1000 === 0) await delay(0); // lets the program run
  }
  Deno.kill(wev.pid, "SIGSTOP"); // like a busy program
  for (let i = 0, start = performance.now(); performance.now() - start < 300; i++) await move(i);
  Deno.kill(wev.pid, "SIGCONT");
  await desktop.pointer.move({ x: 77, y: 88 });
  assertEquals(await desktop.pointer.position(), { x: 77, y: 88 });
  // A press arrives after the last move, which otherwise arrives on its own.
  await desktop.pointer.button("left", true);
  await desktop.pointer.button("left", false);
  await until(() => wevEvents(wev.printed), (events) => events.length === 2, (events) => events.join());
  assertEquals(wevEvents(wev.printed), ["left pressed 77,88", "left released 77,88"]);
  for (let i = 1; i <= 500; i++) await desktop.pointer.move({ x: 2 * i, y: i });
  await until(() => other.pointer.position(), ({ x, y }) => x === 1000 && y === 500);
  assertEquals((await sway.windows(1)).length, 1);
  desktop.close();
  other.close();
});

Deno.test({ name: "the pointer is where it was moved, on each of several outputs", ...SWAY }, async () => {
  await using sway = await Sway.start({
    outputs: [
      "output HEADLESS-1 resolution 960x540 position -100 -100 scale 1.5",
      "output HEADLESS-2 resolution 480x720 position 540 -100 scale 1.5 transform 90",
    ],
  });
  const desktop = await openWayland(sway.socket), other = await openWayland(sway.socket);
  const { displays } = desktop.screen.layout();
  assertEquals(displays.map(({ name: _, ...rest }) => rest), [
    { primary: true, x: -150, y: -150, width: 960, height: 540 },
    { primary: false, x: 810, y: -150, width: 720, height: 480 },
  ]);
  for (const { x, y, width, height } of displays) {
    for (const [dx, dy] of [[0, 0], [1, 2], [100, 101], [width - 2, height - 1], [width - 1, height - 2]]) {
      const point = { x: x + dx, y: y + dy };
      await desktop.pointer.move(point);
      assertEquals(await desktop.pointer.position(), point, "what is remembered");
      assertEquals(await other.pointer.position(), point, "what the compositor says");
      await delay(110); // the other desktop queries again when its position is older than that
    }
  }
  desktop.close();
  other.close();
});

Deno.test({
  name: "what ended with a compositor is not released on its successor",
  ...NEEDED,
}, async () => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket), held = new HeldDown(desktop);
  const pressed: Held[] = [["key", "shift"], ["button", "left"], ["key", "a"]];
  for (const one of pressed) await held.press(one);
  await sway.kill();
  await assertRejects(() => held.press(["key", "b"]), DesktopUnavailableError);
  await sway.restart();
  await until(() => held.press(["key", "b"]).then(() => true, () => false));
  await held.release(["key", "b"]);
  await using wev = await startWev(sway);
  await held.releaseAll();
  assertEquals(held.confirmed, []);
  await desktop.pointer.move({ x: 300, y: 200 });
  await held.press(["button", "left"]);
  await held.releaseAll();
  const printed = await wev.printing((text) => wevEvents(text).length >= 2);
  assertEquals(wevEvents(printed), ["left pressed 300,200", "left released 300,200"]);
  held.close();
  desktop.close();
});

// The pace of moves: sends many immediately, and only the last of the others.

/** Moves over a connection that runs deferred work on its next request. */
function paced() {
  let deferred: (() => void) | undefined, isGone = false;
  const sent: number[] = [];
  const connection = {
    check() {
      if (isGone) throw new DesktopUnavailableError("gone");
    },
    dispatch() {},
    flush() {},
    defer: (run: () => void) => deferred = run,
    runDeferred() {
      const run = deferred;
      deferred = undefined;
      run?.();
    },
  };
  const moves = new PacedMoves(connection as unknown as Connection, ({ x }) => void sent.push(x));
  return {
    sent,
    move: (x: number) => moves.move({ x, y: 0 }),
    request: () => connection.runDeferred(),
    end: () => isGone = true,
    close: () => moves.close(),
  };
}

/** Moves until a move has to wait; returns the number of sent moves. */
function fill({ sent, move }: ReturnType<typeof paced>): number {
  const before = sent.length;
  for (let x = before + 1; sent.length === x - 1; x++) move(x);
  return sent.length - before;
}

Deno.test("sends 64 moves immediately, and the last of the others before the next request", () => {
  const moves = paced();
  assert(fill(moves) >= 64);
  moves.move(5000);
  moves.move(5001); // replaces the waiting move
  const { length } = moves.sent;
  moves.request();
  assertEquals(moves.sent.slice(length), [5001]);
  moves.close();
});

Deno.test("sends a waiting move after a while without a request, and on close", async () => {
  const moves = paced(), { sent, close } = moves;
  fill(moves);
  const waiting = sent.length + 1;
  await until(() => sent.at(-1) === waiting);
  fill(moves);
  const last = sent.length + 1;
  close();
  assertEquals(sent.at(-1), last);
});

Deno.test("sends no move to a compositor that is gone", () => {
  const { move, end } = paced();
  end();
  assertThrows(() => move(1), DesktopUnavailableError);
});

// Programs that change some characters of a text, on wlroots compositors.

const GTK = "/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib";
const RECEIVER_NEEDED = { ignore: need("sway", "/usr/bin/python3", GTK).ignore || needOwn("sway").ignore };

/** A program that maps the library next to it; its window is named after its file. */
const PROGRAM = `#!/usr/bin/python3
import mmap, os, sys
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
with open(os.path.dirname(sys.argv[0]) + "/libKF5TextEditor.so.5") as file:
    library = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
window = Gtk.Window(title="editor")
window.add(Gtk.Entry())
window.show_all()
Gtk.main()
`;

Deno.test(
  { name: "refuses characters above U+FFFF for KWrite of KDE Frameworks 5", ...RECEIVER_NEEDED },
  async () => {
    await using sway = await Sway.start();
    const program = `${sway.folder}/kwrite`;
    await Deno.writeTextFile(`${sway.folder}/libKF5TextEditor.so.5`, "library");
    await Deno.writeTextFile(program, PROGRAM, { mode: 0o755 });
    const desktop = await openWayland(sway.socket);
    await using _program = sway.spawn(program);
    await sway.focused("editor");
    await until(() => desktop.windows!.list(), (all) => all[0]?.class === "kwrite");
    await desktop.keyboard.type("漢");
    await assertRejects(() => desktop.keyboard.type("a😀"), StateError, "kwrite uses KTextEditor 5");
    desktop.close();
  },
);
