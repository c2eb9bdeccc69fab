/** Pointer, buttons and wheel as Windows and a real window see them. */

import { assertEquals } from "@std/assert";
import { BUTTONS } from "../../control/desktop/desktop.ts";
import { openDesktop } from "./desktop.ts";
import { until } from "../support/shell.ts";
import { openReference, WitnessWindow } from "./witness.ts";

Deno.test("reaches every column and row of the screen exactly", async () => {
  using reference = openReference();
  using desktop = openDesktop();
  const { x: left, y: top, width, height } = desktop.screen.layout();
  const wrong: unknown[] = [];
  for (let i = 0; i < Math.max(width, height); i++) {
    const [x, y] = [left + i % width, top + i % height];
    await desktop.pointer.move({ x, y });
    assertEquals(await desktop.pointer.position(), { x, y }, "at once");
    await until(() => {
      const [px, py] = reference.pointer();
      return px === x && py === y;
    }).catch(() => wrong.push([x, y, ...reference.pointer()]));
    if (wrong.length > 3) break;
  }
  assertEquals(wrong, []);
});

Deno.test("every button arrives at its position, and two clicks are a double click", async () => {
  await using witness = await WitnessWindow.open(100, 50);
  using desktop = openDesktop();
  const names = {
    left: ["WM_LBUTTON", 0],
    middle: ["WM_MBUTTON", 0],
    right: ["WM_RBUTTON", 0],
    back: ["WM_XBUTTON", 1],
    forward: ["WM_XBUTTON", 2],
  } as const;
  for (const [i, button] of BUTTONS.entries()) {
    const [name, data] = names[button], down = `${name}DOWN`, up = `${name}UP`;
    await witness.sees(async () => {
      await desktop.pointer.move({ x: 200 + 30 * i, y: 300 });
      await desktop.pointer.button(button, true);
      await desktop.pointer.button(button, false);
      const seen = await witness.take(2, down, `${name}DBLCLK`, up);
      return seen.map(({ name, x, y, data }) => ({ name, x, y, data }));
    }, [down, up].map((name) => ({ name, x: 100 + 30 * i, y: 250, data })));
  }
  await witness.sees(async () => {
    await desktop.pointer.move({ x: 500, y: 500 });
    for (const down of [true, false, true, false]) await desktop.pointer.button("left", down);
    const seen = await witness.take(4, "WM_LBUTTONDOWN", "WM_LBUTTONUP", "WM_LBUTTONDBLCLK");
    return seen.map(({ name }) => name);
  }, ["WM_LBUTTONDOWN", "WM_LBUTTONUP", "WM_LBUTTONDBLCLK", "WM_LBUTTONUP"]);
});

Deno.test("a drag moves with the button held", async () => {
  await using witness = await WitnessWindow.open();
  using desktop = openDesktop();
  const MK_LBUTTON = 1;
  await witness.sees(async () => {
    await desktop.pointer.move({ x: 10, y: 10 });
    await desktop.pointer.button("left", true);
    await witness.take(1, "WM_LBUTTONDOWN", "WM_LBUTTONDBLCLK");
    await desktop.pointer.move({ x: 300, y: 200 });
    let moved = [];
    do moved = await witness.take(1, "WM_MOUSEMOVE"); while (moved.at(-1)!.x !== 300);
    assertEquals(moved.at(-1)!.keys & MK_LBUTTON, MK_LBUTTON);
    await desktop.pointer.button("left", false);
    const [up] = await witness.take(1, "WM_LBUTTONUP");
    return [up.x, up.y];
  }, [300, 200]);
});

Deno.test("the wheel turns in both axes, notch by notch", async () => {
  await using witness = await WitnessWindow.open();
  using desktop = openDesktop();
  await desktop.pointer.move({ x: 50, y: 60 });
  const cases = [
    ["up", 1, "WM_MOUSEWHEEL", 120],
    ["down", 3, "WM_MOUSEWHEEL", -120],
    ["right", 2, "WM_MOUSEHWHEEL", 120],
    ["left", 1, "WM_MOUSEHWHEEL", -120],
    ["down", 250, "WM_MOUSEWHEEL", -120],
  ] as const;
  for (const [direction, amount, name, data] of cases) {
    await desktop.pointer.scroll(direction, amount);
    const seen = await witness.take(amount, name);
    assertEquals(
      seen.map(({ x, y, data }) => ({ x, y, data })),
      Array.from({ length: amount }, () => ({ x: 50, y: 60, data })),
    );
  }
});
