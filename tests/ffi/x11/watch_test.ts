/** X11-specific input watching, on a real X server; desktops_watch_test.ts tests the rest. */

import { assertEquals, assertThrows } from "@std/assert";
import type { Desktop, InputAction, ObservedAction, Watch } from "../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../core/errors.ts";
import { linkIn, numbersIn, readProc } from "../../../core/proc.ts";
import { Connection } from "../../../ffi/x11/connection.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { Keymap } from "../../../ffi/x11/keymap.ts";
import { RAW } from "../../../ffi/x11/raw_selection.ts";
import { ALL_CLIENTS, RECORD_RANGE, ServerRecord } from "../../../ffi/x11/server_record.ts";
import { keyName, RawDecoder } from "../../../ffi/x11/watch_worker.ts";
import { changeKeys } from "../../../ffi/x11/xkb.ts";
import { killed, until } from "../../support/shell.ts";
import { need } from "../../support/need.ts";
import { keycodesDown, X11 } from "../../support/window_desktops.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** A click by xdotool without its pause of 100 ms. */
const CLICK = ["mousedown", "1", "mouseup", "1"];

/** Watches a desktop; lost events or an end of the watch fail the test. */
function watchOf(desktop: Desktop, actions: (batch: ObservedAction[]) => void): Promise<Watch> {
  return desktop.observer.watch({
    actions,
    problem(_, message) {
      throw new Error(message);
    },
  });
}

Deno.test({ name: "a watch reports everything that xdotool does, in order", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  const seen: ObservedAction[] = [];
  const watch = await watchOf(desktop, (batch) => seen.push(...batch));
  const clicks = ["1", "4", "7", "9"].flatMap((button) => ["click", button]);
  await server.run("xdotool", "mousemove", "30", "40", ...clicks);
  await server.run("xdotool", "key", "shift+a", "key", "F5");
  const at = { x: 30, y: 40 };
  const expected: InputAction[] = [
    { type: "move", ...at },
    { type: "button", button: "left", down: true, ...at },
    { type: "button", button: "left", down: false, ...at },
    { type: "scroll", direction: "up", amount: 1, ...at },
    { type: "scroll", direction: "right", amount: 1, ...at },
    { type: "button", button: "forward", down: true, ...at },
    { type: "button", button: "forward", down: false, ...at },
    { type: "key", key: "shift", down: true },
    { type: "key", key: "a", down: true },
    { type: "key", key: "shift", down: false }, // xdotool releases in this order
    { type: "key", key: "a", down: false },
    { type: "key", key: "f5", down: true },
    { type: "key", key: "f5", down: false },
  ];
  await until(() => seen.length >= expected.length);
  await watch.close();
  assertEquals(seen.map(({ action }) => action), expected);
  assertEquals(seen.every(({ injected }) => injected), true);
  assertEquals(seen.every(({ at }, i) => i === 0 || at >= seen[i - 1].at), true);
  desktop.close();
});

Deno.test({
  name: "2,000 clicks under load have their position or are marked, though the pointer moves on immediately",
  ...X11,
}, async () => {
  await using server = await Xvfb.start();
  await using stack = new AsyncDisposableStack();
  for (let i = 0; i < 4; i++) {
    const load = new Deno.Command("sh", { args: ["-c", "while :; do :; done"] }).spawn();
    stack.defer(() => killed(load));
  }
  const desktop = openX11(server.display), seen: InputAction[] = [];
  const watch = await watchOf(desktop, (batch) => {
    for (const { action } of batch) if (action.type === "button") seen.push(action);
  });
  const places = Array.from({ length: 2000 }, (_, i): [number, number] => [i % 1200, 7 * i % 700]);
  const steps = places.flatMap((
    [x, y],
  ) => ["mousemove", `${x}`, `${y}`, ...CLICK, "mousemove", "1250", "710"]);
  await server.run("xdotool", ...steps);
  await until(() => seen.length === 2 * places.length, Boolean, () => `${seen.length} presses and releases`);
  await watch.close();
  const wrong = places.flatMap((place) => [place, place]).filter(([x, y], i) => {
    const action = seen[i] as Extract<InputAction, { type: "button" }>;
    return !action.unplaced && (action.x !== x || action.y !== y);
  });
  assertEquals(wrong, []);
  desktop.close();
});

Deno.test({ name: "reports a character bound to a key while other keys arrive", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display), typist = Connection.open(server.display)!;
  const seen: string[] = [];
  const watch = await watchOf(desktop, (batch) => {
    for (const { action } of batch) if (action.type === "key" && action.down) seen.push(action.key);
  });
  const { libraries: { xtst, x11 }, display } = typist, keycode = 38, count = 5000;
  for (let i = 0; i < count; i++) {
    for (const down of [1, 0]) xtst.XTestFakeKeyEvent(display, keycode, down, 0n);
  }
  x11.XFlush(display);
  await desktop.keyboard.type("é"); // while the watch reads the earlier keys
  await until(() => seen.length > count);
  assertEquals([seen.length, seen[0], seen.at(-1)], [count + 1, "a", "é"]);
  await watch.close();
  typist.close();
  desktop.close();
});

Deno.test({ name: "reports a character that is unbound right after its key", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display), typist = Connection.open(server.display)!;
  const seen: string[] = [];
  let moves = 0;
  const watch = await watchOf(desktop, (batch) => {
    for (const { action } of batch) {
      if (action.type === "move") moves++;
      if (action.type === "key" && action.down) seen.push(action.key);
    }
  });
  const { libraries: { xtst }, display } = typist, keymap = Keymap.read(typist);
  const keycode = keymap.unused.at(-1)!, { type } = keymap.levels;
  changeKeys(typist, [{ keycode, symbols: keymap.levels.chords.map(() => 0xe9), type }]);
  await server.run("xdotool", "mousemove", "30", "40");
  await until(() => moves > 0); // the watch has handled the change before it
  for (const down of [1, 0]) xtst.XTestFakeKeyEvent(display, keycode, down, 0n);
  changeKeys(typist, [{ keycode, symbols: [], type }]);
  await server.run("xdotool", "key", "a");
  await until(() => seen.at(-1) === "a");
  assertEquals(seen, ["é", "a"]);
  await watch.close();
  typist.close();
  desktop.close();
});

Deno.test(
  { name: "a watch reports pointer warps by programs, in order, until it is closed", ...X11 },
  async () => {
    await using server = await Xvfb.start();
    await server.run("xdotool", "mousemove", "7", "8");
    const desktop = openX11(server.display);
    const seen: ObservedAction[] = [];
    const watch = await watchOf(desktop, (batch) => seen.push(...batch));
    const warp = (x: number, y: number) => server.run("xdotool", "mousemove", String(x), String(y));
    await warp(100, 200);
    await until(() => seen.length >= 1);
    await warp(300, 300);
    await server.run("xdotool", "key", "a");
    await until(() => seen.length >= 4);
    await warp(20, 30);
    await server.run("xdotool", "click", "1");
    await until(() => seen.length >= 7);
    await warp(400, 500); // the watch is closed before its next sample
    await watch.close();
    desktop.close();
    const at = { x: 20, y: 30 };
    assertEquals(seen.map(({ action }) => action), [
      { type: "move", x: 100, y: 200 },
      { type: "move", x: 300, y: 300 },
      { type: "key", key: "a", down: true },
      { type: "key", key: "a", down: false },
      { type: "move", ...at },
      { type: "button", button: "left", down: true, ...at },
      { type: "button", button: "left", down: false, ...at },
      { type: "move", x: 400, y: 500 },
    ]);
    assertEquals(seen.every(({ at }, i) => i === 0 || at >= seen[i - 1].at), true);
    assertEquals(seen.every(({ injected }) => injected), true);
  },
);

Deno.test({ name: "a watch reports a device's motion once", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  const seen: InputAction[] = [];
  const watch = await watchOf(desktop, (batch) => seen.push(...batch.map(({ action }) => action)));
  for (let i = 1; i <= 30; i++) {
    await server.run("xdotool", "mousemove_relative", "1", "0");
    const { x } = await desktop.pointer.position();
    await until(() => seen.some((action) => action.type === "move" && action.x === x));
  }
  await watch.close();
  desktop.close();
  const places = seen.map((action) => JSON.stringify(action));
  assertEquals(places.length, new Set(places).size);
});

Deno.test(
  {
    name: "reports keypad keys by what they type, and replays them",
    ...need("Xvfb", "xdotool", "xinput"),
  },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    const keycodes = [87, 89, 91]; // 1, 3 and the comma of the keypad
    for (
      const expected of [
        ["kpend", "kppagedown", "kpdelete"],
        ["kp1", "kp3", "kpdecimal"],
      ]
    ) {
      const seen: string[] = [];
      const watch = await watchOf(desktop, (batch) =>
        seen.push(
          ...batch.flatMap(({ action }) => action.type === "key" && action.down ? [action.key] : []),
        ));
      await server.run("xdotool", "key", ...keycodes.map(String));
      await until(() => seen.length >= keycodes.length);
      await watch.close();
      assertEquals(seen, expected);
      for (const key of seen) await desktop.keyboard.key(key, true);
      assertEquals((await keycodesDown(server)).sort(), keycodes);
      for (const key of seen) await desktop.keyboard.key(key, false);
      await server.run("xdotool", "key", "Num_Lock");
    }
    desktop.close();
  },
);

Deno.test("a pointer sample is a move if the pointer is elsewhere, except for the first", () => {
  const decoder = new RawDecoder({
    position: () => ({ x: 1, y: 2 }),
    symbol: () => 0,
    typedSymbol: () => 0,
    codePoint: () => 0,
    injectors: new Set(),
    now: () => 7,
  });
  assertEquals(decoder.sample({ x: 9, y: 9 }), []);
  assertEquals(decoder.sample({ x: 9, y: 9 }), []);
  assertEquals(decoder.decode({ type: RAW.motion, detail: 0, source: 4 }), [
    { action: { type: "move", x: 1, y: 2 }, at: 7, injected: false },
  ]);
  assertEquals(decoder.sample({ x: 1, y: 2 }), []);
  assertEquals(decoder.sample({ x: 3, y: 2 }), [
    { action: { type: "move", x: 3, y: 2 }, at: 7, injected: true },
  ]);
});

Deno.test("decodes raw events to actions", () => {
  let position = { x: 1, y: 2 };
  const symbols: Record<number, number> = { 38: 0x61, 50: 0xffe1, 99: 0x1008ff45, 24: 0x10006f22 };
  const typed: Record<string, number> = { "10 50": 0x21, "38 50": 0x41 };
  const decoder = new RawDecoder({
    position: () => position,
    symbol: (keycode) => symbols[keycode] ?? 0,
    typedSymbol: (keycode, down) => typed[[keycode, ...down].join(" ")] ?? symbols[keycode] ?? 0,
    codePoint: (keysym) => keysym < 0x100 ? keysym : { 0x10006f22: 0x6f22 }[keysym] ?? 0,
    injectors: new Set([5]),
    now: () => 7,
  });
  const decode = (type: number, detail: number, source = 4) => decoder.decode({ type, detail, source });
  const seen = (action: InputAction, injected = false): ObservedAction => ({ action, at: 7, injected });
  assertEquals(decode(RAW.motion, 0), [seen({ type: "move", x: 1, y: 2 })]);
  assertEquals(decode(RAW.motion, 0), []);
  position = { x: 3, y: 4 };
  assertEquals(decode(RAW.buttonPress, 3, 5), [
    seen({ type: "move", x: 3, y: 4 }, true),
    seen({ type: "button", button: "right", down: true, x: 3, y: 4, unplaced: true }, true),
  ]);
  assertEquals(decode(RAW.buttonPress, 5), [
    seen({ type: "scroll", direction: "down", amount: 1, x: 3, y: 4, unplaced: true }),
  ]);
  assertEquals(decode(RAW.buttonRelease, 5), []);
  // A release that is read after the pointer has moved on ends a click, not a drag.
  position = { x: 70, y: 80 };
  const late = { type: RAW.buttonRelease, detail: 3, source: 4 };
  assertEquals(decoder.decode({ ...late, isPassed: true }), [
    seen({ type: "button", button: "right", down: false, x: 3, y: 4, unplaced: true }),
  ]);
  const near = { x: 5, y: 6 };
  assertEquals(decoder.decode({ ...late, near }), [
    seen({ type: "move", ...near }, true),
    seen({ type: "button", button: "right", down: false, ...near, unplaced: true }),
  ]);
  assertEquals(decode(RAW.motion, 0), [seen({ type: "move", x: 70, y: 80 })]);
  assertEquals(
    decoder.decode({ ...late, at: { x: 60, y: 70 }, isPassed: true })[1],
    seen({ type: "button", button: "right", down: false, x: 60, y: 70 }),
  );
  position = { x: 60, y: 70 };
  assertEquals(decode(RAW.keyPress, 38), [seen({ type: "key", key: "a", down: true })]);
  assertEquals(decode(RAW.keyPress, 38), []); // a repeat
  assertEquals(decode(RAW.keyRelease, 38), [seen({ type: "key", key: "a", down: false })]);
  assertEquals(decode(RAW.keyRelease, 38), []); // released already
  assertEquals(decode(RAW.keyPress, 200), []); // a key without a symbol
  assertEquals(decode(RAW.keyRelease, 200), []);
  symbols[38] = 0x61;
  symbols[10] = 0x31;
  decode(RAW.keyPress, 50);
  assertEquals(decode(RAW.keyPress, 10), [seen({ type: "key", key: "1", down: true, text: "!" })]);
  assertEquals(decode(RAW.keyRelease, 10), [seen({ type: "key", key: "1", down: false })]);
  assertEquals(decode(RAW.keyPress, 38), [seen({ type: "key", key: "a", down: true })]);
  decode(RAW.keyRelease, 38);
  decode(RAW.keyRelease, 50);
  position = { x: 5, y: 6 }; // a warp
  assertEquals(decode(RAW.keyPress, 38), [
    seen({ type: "move", x: 5, y: 6 }, true),
    seen({ type: "key", key: "a", down: true }),
  ]);
  symbols[38] = 0x10006f22; // the layout has changed
  assertEquals(decode(RAW.keyRelease, 38), [seen({ type: "key", key: "a", down: false })]);
  assertEquals(
    [keyName(0xffe1, 0), keyName(0x61, 0x61), keyName(0x1008ff45, 0), keyName(0x10006f22, 0x6f22)],
    [
      "shift",
      "a",
      "keysym:0x1008ff45",
      "漢",
    ],
  );
});

Deno.test({ name: "a record whose server dies as it begins leaves no connection open", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const links = () => numbersIn("self/fd").map((fd) => linkIn(`self/fd/${fd}`));
  const open = () => links().filter((link) => link.startsWith("socket:")).length, before = open();
  const selection = {
    get clients() {
      Deno.kill(server.pid, "SIGKILL"); // the connections are open by now
      while (/\) [^Z]/.test(readProc(`${server.pid}/stat`)));
      return [ALL_CLIENTS];
    },
    ranges: [{ [RECORD_RANGE.firstDeviceEvent]: 4 }],
    take() {},
  };
  assertThrows(() => ServerRecord.begin(server.display, selection), DesktopUnavailableError);
  assertEquals(open(), before);
});
