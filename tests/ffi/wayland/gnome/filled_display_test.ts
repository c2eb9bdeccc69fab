/** Windows of GNOME that fill a display, by their size alone. */

import { assertEquals } from "@std/assert";
import { filledRegion } from "../../../../ffi/wayland/gnome/windows.ts";

const display = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });
const ONE = [display(0, 0, 1280, 720)], TWO = [...ONE, display(1280, 0, 1920, 1080)];

/** A window's size, the displays, and the window's place; undefined if the place is unknown. */
const CASES: [
  size: [number, number],
  displays: typeof ONE,
  expected: [number, number, string] | undefined,
][] = [
  [[1280, 720], ONE, [0, 0, "fullscreen"]],
  [[1280, 693], ONE, [0, 27, "maximized"]],
  [[1280, 700], ONE, [0, 20, "maximized"]],
  [[1280, 701], ONE, undefined],
  [[1280, 600], ONE, undefined],
  [[1279, 693], ONE, undefined],
  [[1920, 1080], TWO, [1280, 0, "fullscreen"]],
  [[1920, 1053], TWO, [1280, 27, "maximized"]],
  [[1280, 720], [...ONE, display(1280, 0, 1280, 720)], undefined],
];

for (const [[width, height], displays, expected] of CASES) {
  Deno.test(`a window of ${width}x${height} on ${displays.length} displays is ${expected ?? "anywhere"}`, () => {
    const filled = filledRegion({ width, height }, displays);
    assertEquals(filled && [filled.region.x, filled.region.y, filled.state], expected);
  });
}
