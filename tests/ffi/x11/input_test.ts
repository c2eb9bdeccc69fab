/** Pointer, buttons, wheel and keys on a real X server, as other programs see them. */

import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { Button, Direction } from "../../../control/desktop.ts";
import { InputError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { HELD_KEYS } from "../../support/held_keys.ts";
import { need } from "../../support/need.ts";
import { keycodesDown, X11, xevEvents } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

const FULL = ["xev", "-geometry", "1280x720+0+0", "-event", "button", "-event", "keyboard"] as const;

Deno.test({ name: "position and move agree with xdotool to the pixel", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  for (const [x, y] of [[0, 0], [1279, 719], [640, 360], [1, 718], [777, 3]]) {
    desktop.pointer.move({ x, y });
    assertEquals(desktop.pointer.position(), { x, y });
    assertMatch(await server.run("xdotool", "getmouselocation"), new RegExp(`^x:${x} y:${y} `));
  }
  await server.run("xdotool", "mousemove", "12", "34");
  assertEquals(desktop.pointer.position(), { x: 12, y: 34 });
  desktop.close();
});

Deno.test(
  { name: "a program receives every button, notch and key", ...need("Xvfb", "xdotool", "xev") },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using xev = server.spawn(FULL[0], ...FULL.slice(1));
    await server.run("xdotool", "search", "--sync", "--onlyvisible", "--name", "Event Tester");
    desktop.pointer.move({ x: 300, y: 200 });
    const expected: string[] = [];
    const buttons: [Button, number][] = [["left", 1], ["middle", 2], ["right", 3], ["back", 8], [
      "forward",
      9,
    ]];
    for (const [button, number] of buttons) {
      desktop.pointer.button(button, true);
      desktop.pointer.button(button, false);
      expected.push(`ButtonPress ${number} 300,200`, `ButtonRelease ${number} 300,200`);
    }
    const wheel: [Direction, number][] = [["up", 4], ["down", 5], ["left", 6], ["right", 7]];
    for (const [direction, number] of wheel) {
      desktop.pointer.scroll(direction, 2);
      for (let i = 0; i < 2; i++) {
        expected.push(`ButtonPress ${number} 300,200`, `ButtonRelease ${number} 300,200`);
      }
    }
    for (
      const [key, ...keysyms] of [
        ["f5", "F5"],
        ["enter", "Return"],
        ["pageup", "Prior"],
        ["a", "a"],
        ["?", "Shift_L", "question"],
        ["kp5", "KP_5"],
        ["volumeup", "XF86AudioRaiseVolume"],
        ["é", "eacute"],
        ["keysym:0xfe20", "Shift_L", "ISO_Left_Tab"],
      ]
    ) {
      desktop.keyboard.key(key, true);
      desktop.keyboard.key(key, false);
      expected.push(...keysyms.map((keysym) => `KeyPress ${keysym}`));
      expected.push(...keysyms.toReversed().map((keysym) => `KeyRelease ${keysym}`));
    }
    const printed = await xev.printing((text) => xevEvents(text).length >= expected.length);
    assertEquals(xevEvents(printed), expected);
    desktop.close();
  },
);

Deno.test({ name: "a combination holds its modifiers", ...need("Xvfb", "xdotool", "xev") }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  await using xev = server.spawn(FULL[0], ...FULL.slice(1));
  await server.run("xdotool", "search", "--sync", "--onlyvisible", "--name", "Event Tester");
  desktop.pointer.move({ x: 300, y: 200 });
  for (const key of ["ctrl", "shift", "t"]) desktop.keyboard.key(key, true);
  for (const key of ["t", "shift", "ctrl"]) desktop.keyboard.key(key, false);
  const printed = await xev.printing((text) => xevEvents(text).length >= 6);
  assertEquals(xevEvents(printed), [
    "KeyPress Control_L",
    "KeyPress Shift_L",
    "KeyPress T",
    "KeyRelease T",
    "KeyRelease Shift_L",
    "KeyRelease Control_L",
  ]);
  assertMatch(printed, /state 0x5, keycode \d+ \(keysym 0x54, T\)/);
  desktop.close();
});

Deno.test(
  {
    name: "a key stays down until the last pressed key that needs it is released",
    ...need("Xvfb", "xinput"),
  },
  async () => {
    await using server = await Xvfb.start();
    for (const [name, steps, expected] of HELD_KEYS) {
      const desktop = openX11(server.display);
      for (const step of steps) desktop.keyboard.key(step.slice(1), step[0] === "+");
      assertEquals((await keycodesDown(server)).sort(), [...expected].sort(), name);
      for (const key of ["?", "!", "a", "A", "shift"]) desktop.keyboard.key(key, false);
      assertEquals(await keycodesDown(server), [], `after ${name}`);
      desktop.close();
    }
  },
);

Deno.test({ name: "a key of another system is refused", ...need("Xvfb", "xinput") }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  assertThrows(() => desktop.keyboard.key("vk:0x97", true), InputError, "vk:0x97");
  assertEquals(await keycodesDown(server), []);
  desktop.close();
});
