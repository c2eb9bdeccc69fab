/** Pointer and keys where only X11 is so, on a real X server; desktops_test.ts has the rest. */

import { assertEquals, assertMatch } from "@std/assert";
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
