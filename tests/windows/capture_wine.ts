/** Screenshots, compared with pixels that a real window painted. */

import { assertEquals, assertNotEquals } from "@std/assert";
import type { Frame, Point } from "../../control/desktop/desktop.ts";
import { openWindows } from "../../ffi/windows/mod.ts";
import { openDesktop } from "./desktop.ts";
import { until } from "../support/shell.ts";
import { QUARTERS, WitnessWindow } from "./witness.ts";
import { keptFrame } from "../support/clipboard_tools.ts";

/** A pixel's blue, green and red. */
function pixel({ pixels, stride }: Frame, x: number, y: number): number[] {
  return Array.from(pixels.subarray(y * stride + x * 4, y * stride + x * 4 + 3));
}

Deno.test("a screenshot has the window's colors at their positions", async () => {
  await using witness = await WitnessWindow.open(40, 20, 400, 300);
  using desktop = openDesktop();
  const screen = desktop.screen.layout();
  const frame = await keptFrame(desktop.screen, screen, false);
  assertEquals([frame.width, frame.height], [screen.width, screen.height]);
  const wrong: unknown[] = [];
  for (let y = 0; y < witness.height; y++) {
    for (let x = 0; x < witness.width; x++) {
      const quarter = (x < witness.width / 2 ? 0 : 1) + (y < witness.height / 2 ? 0 : 2);
      const [blue, green, red] = pixel(frame, witness.x + x, witness.y + y);
      const expected = QUARTERS[quarter];
      if (blue !== expected[0] || green !== expected[1] || red !== expected[2]) {
        wrong.push([x, y, blue, green, red]);
      }
    }
  }
  assertEquals(wrong.slice(0, 3), []);
  // Just outside the window there is something else.
  for (const [x, y] of [[39, 20], [40, 19], [440, 100], [100, 320]]) {
    assertNotEquals(QUARTERS.map(String).includes(String(pixel(frame, x, y))), true, `${x},${y}`);
  }
});

Deno.test("a region equals that part of the whole screenshot, at any size", async () => {
  await using witness = await WitnessWindow.open(40, 20, 400, 300);
  using desktop = openDesktop();
  const regions = [
    { x: 40, y: 20, width: 1, height: 1 },
    { x: 239, y: 169, width: 2, height: 2 },
    { x: 30, y: 10, width: 333, height: 77 },
    { x: 0, y: 0, width: 501, height: 401 },
    { x: 239, y: 169, width: 2, height: 2 },
  ];
  for (const region of regions) {
    const whole = await keptFrame(desktop.screen, desktop.screen.layout(), false);
    const kept = { ...whole, pixels: whole.pixels.slice() };
    const part = await keptFrame(desktop.screen, region, false);
    assertEquals([part.width, part.height], [region.width, region.height]);
    for (
      const [dx, dy] of [[0, 0], [region.width - 1, 0], [0, region.height - 1], [
        region.width - 1,
        region.height - 1,
      ]]
    ) {
      assertEquals(pixel(part, dx, dy), pixel(kept, region.x + dx, region.y + dy), `${dx},${dy}`);
    }
  }
  assertEquals(witness.width, 400);
  // The same from the Worker.
  const [, , region] = regions, memory = new SharedArrayBuffer(region.width * region.height * 4);
  await desktop.screen.captureInto!(region, false, memory);
  assertEquals(new Uint8Array(memory).slice(), (await keptFrame(desktop.screen, region, false)).pixels);
  // The corner at which all four quarters meet.
  const meeting = await keptFrame(desktop.screen, { x: 239, y: 169, width: 2, height: 2 }, false);
  assertEquals([[0, 0], [1, 0], [0, 1], [1, 1]].map(([x, y]) => pixel(meeting, x, y)), QUARTERS);
});

Deno.test("draws the pointer on request, at its position and nowhere else", async () => {
  await using witness = await WitnessWindow.open(0, 0, 800, 600);
  const desktop = openWindows();
  const region = { x: 0, y: 0, width: witness.width, height: witness.height };
  /** Offsets from a point to pixels that differ between pictures with and without the pointer. */
  async function drawn({ x, y }: Point): Promise<[dx: number, dy: number][]> {
    const plain = (await keptFrame(desktop.screen, region, false)).pixels;
    const { pixels, stride } = await keptFrame(desktop.screen, region, true);
    const changed: [number, number][] = [];
    for (let at = 0; at < pixels.length; at += 4) {
      if ([0, 1, 2].some((i) => pixels[at + i] !== plain[at + i])) {
        changed.push([at % stride / 4 - x, Math.floor(at / stride) - y]);
      }
    }
    return changed;
  }
  try {
    for (const point of [{ x: 100, y: 100 }, { x: 333, y: 200 }]) {
      await until(
        async () => {
          // Under Wine the X server's echo of an earlier move may undo a later one, so the move is repeated.
          // The window sets its cursor on a move, possibly only after a picture or two.
          await desktop.pointer.move({ x: point.x + 1, y: point.y }); // a move to the current position sends no message
          await desktop.pointer.move(point);
          return await drawn(point);
        },
        // The arrow's hot spot is its upper left corner.
        (changed) =>
          changed.length > 20 && changed.every(([dx, dy]) => dx >= -2 && dx < 40 && dy >= -2 && dy < 40),
      );
    }
  } finally {
    desktop.close();
  }
});

Deno.test("screenshots leave no GDI objects behind", async () => {
  const library = Deno.dlopen("gdi32.dll", {
    CreateCompatibleDC: { parameters: ["pointer"], result: "usize" },
    DeleteDC: { parameters: ["usize"], result: "i32" },
  });
  const desktop = openWindows();
  try {
    // A process has at most 10,000 handles; each of these pictures would leak four.
    for (let i = 0; i < 3000; i++) {
      const width = 10 + i % 3; // a different size each time
      assertEquals(
        (await keptFrame(desktop.screen, { x: 0, y: 0, width, height: 5 }, i % 2 === 0)).width,
        width,
      );
    }
    const dc = library.symbols.CreateCompatibleDC(null);
    assertNotEquals(dc, 0n);
    library.symbols.DeleteDC(dc);
  } finally {
    desktop.close();
    library.close();
  }
});
