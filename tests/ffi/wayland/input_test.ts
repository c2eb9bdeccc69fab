/** Pointer, buttons, wheel and keys on a real compositor, as a program on it sees them. */

import { assertEquals, assertThrows } from "@std/assert";
import { delay } from "@std/async/delay";
import type { Button, Direction } from "../../../control/desktop.ts";
import { InputError } from "../../../core/errors.ts";
import { openWayland } from "../../../ffi/wayland/mod.ts";
import { HELD_KEYS } from "../../support/held_keys.ts";
import { need } from "../../support/need.ts";
import { SWAY, Sway } from "../../support/sway.ts";
import { until } from "../../support/until.ts";
import { codesDown, startWev, wevEvents } from "../../support/wev.ts";

const NEEDED = need("sway", "swaymsg", "wev", "stdbuf");

const BUTTONS: [Button, string][] = [
  ["left", "left"],
  ["middle", "middle"],
  ["right", "right"],
  ["back", "side"],
  ["forward", "extra"],
];
const WHEEL: [Direction, string][] = [
  ["up", "vertical -15"],
  ["down", "vertical 15"],
  ["left", "horizontal -15"],
  ["right", "horizontal 15"],
];
/** Keys, and the symbols that are pressed for them. */
const KEYS: string[][] = [
  ["f5", "F5"],
  ["enter", "Return"],
  ["pageup", "Prior"],
  ["a", "a"],
  ["A", "Shift_L", "A"],
  ["?", "Shift_L", "question"],
  ["kp5", "KP_5"],
  ["kphome", "KP_Home"],
  ["f13", "F13"],
  ["volumeup", "XF86AudioRaiseVolume"],
  ["é", "eacute"],
  ["漢", "U6F22"],
  ["backtab", "Shift_L", "Tab"],
  ["keysym:0xfe20", "ISO_Left_Tab"],
];

Deno.test({ name: "a program receives every button, notch and key", ...NEEDED }, async (t) => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket);
  await using wev = await startWev(sway);
  let seen = 0;
  const receives = async (expected: string[]) => {
    const printed = await wev.printing((text) => wevEvents(text).length >= seen + expected.length);
    assertEquals(wevEvents(printed).slice(seen), expected);
    seen += expected.length;
  };
  await t.step("buttons and wheel, where the pointer is", async () => {
    desktop.pointer.move({ x: 300, y: 200 });
    const expected: string[] = [];
    for (const [button, name] of BUTTONS) {
      desktop.pointer.button(button, true);
      desktop.pointer.button(button, false);
      expected.push(`${name} pressed 300,200`, `${name} released 300,200`);
    }
    for (const [direction, event] of WHEEL) {
      desktop.pointer.scroll(direction, 2);
      expected.push(event, event);
    }
    await receives(expected);
  });
  await t.step("keys of every kind", async () => {
    const expected: string[] = [];
    for (const [key, ...symbols] of KEYS) {
      desktop.keyboard.key(key, true);
      desktop.keyboard.key(key, false);
      expected.push(...symbols.map((symbol) => `pressed ${symbol}`));
      expected.push(...symbols.toReversed().map((symbol) => `released ${symbol}`));
    }
    await receives(expected);
  });
  await t.step("a combination with its modifiers", async () => {
    for (const key of ["ctrl", "shift", "t"]) desktop.keyboard.key(key, true);
    for (const key of ["t", "shift", "ctrl"]) desktop.keyboard.key(key, false);
    await receives([
      ...["pressed Control_L", "pressed Shift_L", "pressed T"],
      ...["released T", "released Shift_L", "released Control_L"],
    ]);
    await until(() => wev.printed, (text) => /depressed: 00000005: Shift Control/.test(text));
  });
  await t.step("a drag, whose place is remembered while the button is held", async () => {
    desktop.pointer.move({ x: 100, y: 100 });
    desktop.pointer.button("left", true);
    desktop.pointer.move({ x: 500, y: 400 });
    await delay(150); // longer than a place that is not held counts as known
    assertEquals(await desktop.pointer.position(), { x: 500, y: 400 });
    desktop.pointer.button("left", false);
    await receives(["left pressed 100,100", "left released 500,400"]);
  });
  await t.step("a key that stays down until the last pressed key that needs it is released", async () => {
    for (const [name, steps, expected] of HELD_KEYS) {
      const own = await openWayland(sway.socket);
      for (const step of steps) own.keyboard.key(step.slice(1), step[0] === "+");
      const isDown = (codes: number[]) => codes.sort().join() === [...expected].sort().join();
      await until(() => codesDown(wev.printed), isDown, (codes) => `${name}: ${codes} are down`);
      for (const key of ["?", "!", "a", "A", "shift"]) own.keyboard.key(key, false);
      own.close();
      await until(() => codesDown(wev.printed).length === 0);
    }
  });
  await t.step("a key of another system is refused", () => {
    assertThrows(() => desktop.keyboard.key("vk:0x97", true), InputError, "vk:0x97");
  });
  desktop.close();
});

Deno.test({
  name: "a program lives through 100,000 moves, also while it is busy, and sees the last one",
  ...NEEDED,
}, async () => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket), other = await openWayland(sway.socket);
  await using wev = await startWev(sway);
  const move = async (i: number) => await desktop.pointer.move({ x: i % 1280, y: i % 720 });
  for (let i = 0; i < 100_000; i++) {
    await move(i);
    if (i % 1000 === 0) await delay(0); // the program gets its turn
  }
  Deno.kill(wev.pid, "SIGSTOP"); // as a program that is busy
  for (let i = 0, start = performance.now(); performance.now() - start < 300; i++) await move(i);
  Deno.kill(wev.pid, "SIGCONT");
  await desktop.pointer.move({ x: 77, y: 88 });
  assertEquals(await desktop.pointer.position(), { x: 77, y: 88 });
  // A press comes after the last move, which else comes by itself.
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
      desktop.pointer.move(point);
      assertEquals(await desktop.pointer.position(), point, "what is remembered");
      assertEquals(await other.pointer.position(), point, "what the compositor says");
      await delay(110); // the other one asks again when what it knows is older than that
    }
  }
  desktop.close();
  other.close();
});
