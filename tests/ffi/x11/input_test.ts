/** Pointer and keys where only X11 is so, on a real X server; desktops_test.ts has the rest. */

import { assertEquals, assertMatch } from "@std/assert";
import { Operator } from "../../../control/operator/operator.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { need } from "../../support/need.ts";
import { X11, xevEvents } from "../../support/x11.ts";
import { Xvfb } from "../../support/xvfb.ts";

Deno.test({ name: "position and move agree with xdotool to the pixel", ...X11 }, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  for (const [x, y] of [[0, 0], [1279, 719], [640, 360], [1, 718], [777, 3]]) {
    await desktop.pointer.move({ x, y });
    assertEquals(await desktop.pointer.position(), { x, y });
    assertMatch(await server.run("xdotool", "getmouselocation"), new RegExp(`^x:${x} y:${y} `));
  }
  await server.run("xdotool", "mousemove", "12", "34");
  assertEquals(await desktop.pointer.position(), { x: 12, y: 34 });
  desktop.close();
});

Deno.test(
  { name: "a symbol is pressed with the modifiers that it needs", ...need("Xvfb", "xdotool", "xev") },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display);
    await using xev = server.spawn("xev", "-geometry", "1280x720+0+0", "-event", "keyboard");
    await server.window("--name", "Event Tester");
    await desktop.pointer.move({ x: 300, y: 200 });
    for (const down of [true, false]) await desktop.keyboard.key("keysym:0xfe20", down);
    const expected = ["Press Shift_L", "Press ISO_Left_Tab", "Release ISO_Left_Tab", "Release Shift_L"];
    const printed = await xev.printing((text) => xevEvents(text).length >= expected.length);
    assertEquals(xevEvents(printed), expected.map((event) => `Key${event}`));
    desktop.close();
  },
);

/** The number of double clicks, of which some have two presses of one millisecond without a pause. */
const DOUBLE_CLICKS = 60;

Deno.test(
  { name: "the presses of a double click have different times", ...need("Xvfb", "xdotool", "xev") },
  async () => {
    await using server = await Xvfb.start();
    const desktop = openX11(server.display), operator = new Operator(desktop);
    await using xev = server.spawn("xev", "-geometry", "1280x720+0+0", "-event", "button");
    await server.window("--name", "Event Tester");
    for (let i = 0; i < DOUBLE_CLICKS; i++) await operator.click({ x: 300, y: 200 }, "left", 2);
    const printed = await xev.printing((text) => xevEvents(text).length >= 4 * DOUBLE_CLICKS);
    const times = Array.from(printed.matchAll(/^ButtonPress event[^]*?, time (\d+),/gm), ([, time]) => time);
    assertEquals(times.length, 2 * DOUBLE_CLICKS);
    const firsts = times.filter((_, i) => i % 2 === 0);
    assertEquals(firsts.filter((time, i) => time === times[2 * i + 1]), []);
    desktop.close();
  },
);
