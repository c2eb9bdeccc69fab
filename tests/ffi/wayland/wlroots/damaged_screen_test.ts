/** Reports of a compositor about drawing, for the live picture. */

import { assert, assertEquals } from "@std/assert";
import type { Region } from "../../../../control/desktop/desktop.ts";
import { Alarm, openLibc } from "../../../../ffi/linux/libc.ts";
import { DamagedScreen } from "../../../../ffi/wayland/wlroots/damaged_screen.ts";
import { openWayland } from "../../../../ffi/wayland/mod.ts";
import { SWAY, Sway } from "../../../support/sway.ts";
import { until } from "../../../support/until.ts";
import { keptFrame } from "../../../support/kept_frame.ts";

/** Outputs, and whether the box of a small change on the first one is small. */
const ARRANGEMENTS: [name: string, outputs: string[], isSmall: boolean][] = [
  ["one output", ["output HEADLESS-1 resolution 320x240 position 0 0"], true],
  ["two outputs, one of which is turned", [
    "output HEADLESS-1 resolution 320x240 position -100 -50",
    "output HEADLESS-2 resolution 320x240 position 220 0 transform 90",
  ], true],
  ["a scaled output", ["output HEADLESS-1 resolution 480x360 position 0 0 scale 1.5"], true],
  ["a turned output", ["output HEADLESS-1 resolution 320x240 position 0 0 transform 90"], false],
];

/** The colors of a screen, without the byte that means nothing. */
function colorsOf(pixels: Uint8Array): Uint8Array {
  return pixels.map((value, i) => i % 4 === 3 ? 0 : value);
}

/** Looks until nothing has changed for a while. @returns The boxes of the changes. */
async function changesOf(screen: DamagedScreen, isDone: () => boolean): Promise<Region[]> {
  const boxes: Region[] = [];
  await until(() => {
    const { box } = screen.update();
    if (box) boxes.push(box);
    return !box && isDone();
  });
  return boxes;
}

for (const [name, outputs, isSmall] of ARRANGEMENTS) {
  Deno.test({ name: `a change is fetched with the box that it is in: ${name}`, ...SWAY }, async () => {
    await using sway = await Sway.start({ outputs });
    const desktop = await openWayland(sway.socket), { x, y, width, height } = desktop.screen.layout();
    await desktop.pointer.move({ x: x + 50, y: y + 60 });
    const screen = DamagedScreen.open(sway.socket, undefined)!;
    assertEquals(screen.place, { x, y, width, height });
    await changesOf(screen, () => true);
    const before = colorsOf(screen.pixels);
    await desktop.pointer.move({ x: x + 90, y: y + 70 });
    const isChanged = () => colorsOf(screen.pixels).some((value, i) => value !== before[i]);
    const boxes = await changesOf(screen, isChanged), after = colorsOf(screen.pixels);
    const isInside = (column: number, row: number) =>
      boxes.some((box) =>
        column >= box.x && column < box.x + box.width && row >= box.y && row < box.y + box.height
      );
    for (let i = 0; i < after.length; i++) {
      if (after[i] === before[i]) continue;
      const pixel = i >> 2, column = pixel % width, row = Math.floor(pixel / width);
      assert(isInside(column, row), `${column},${row} changed, which is in none of ${JSON.stringify(boxes)}`);
    }
    assertEquals(boxes.every((box) => box.width < 200 && box.height < 200), isSmall, JSON.stringify(boxes));
    const picture = await keptFrame(desktop.screen, { x, y, width, height }, true);
    assertEquals(after, colorsOf(picture.pixels.slice()));
    screen.close();
    desktop.close();
  });
}

Deno.test(
  { name: "a screen that gets another size is fetched anew, and one that rests is not", ...SWAY },
  async () => {
    await using sway = await Sway.start();
    const screen = DamagedScreen.open(sway.socket, undefined)!, { place } = screen;
    await changesOf(screen, () => true);
    await sway.output("HEADLESS-1", "resolution", "640x400");
    const boxes = await changesOf(screen, () => screen.place.width === 640);
    assert(screen.place !== place);
    assertEquals(boxes.some((box) => box.width === 640 && box.height === 400), true);
    assertEquals(screen.pixels.length, 640 * 400 * 4);
    await until(() => {
      const start = performance.now();
      screen.wait(200);
      return performance.now() - start >= 199; // nothing has woken it
    });
    assertEquals(screen.update(), { box: undefined });
    screen.close();
  },
);

Deno.test(
  { name: "a screen that rests is waited for until it changes, or an alarm rings", ...SWAY },
  async () => {
    await using sway = await Sway.start();
    const alarm = new Alarm(openLibc()), screen = DamagedScreen.open(sway.socket, undefined, alarm.fd)!;
    await changesOf(screen, () => true);
    const desktop = await openWayland(sway.socket);
    const waited = (ms: number) => {
      const start = performance.now();
      screen.wait(ms);
      return performance.now() - start;
    };
    const rested = () => {
      screen.update(); // takes what has arrived
      return waited(200);
    };
    try {
      await until(rested, (ms) => ms >= 199);
      alarm.ring();
      assert(waited(60_000) < 30_000);
      await until(rested, (ms) => ms >= 199); // one ring ends one wait
      await desktop.pointer.move({ x: 40, y: 40 });
      assert(waited(20_000) < 10_000);
    } finally {
      desktop.close();
      screen.close();
      alarm.close();
    }
  },
);
