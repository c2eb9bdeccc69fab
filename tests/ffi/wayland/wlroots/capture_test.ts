/** Screenshots of a real compositor, compared with grim's; damage for the live view. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import type { Frame, Point, Region } from "../../../../control/desktop/desktop.ts";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { Alarm, openLibc } from "../../../../ffi/linux/libc.ts";
import { openWayland, type WaylandDesktop } from "../../../../ffi/wayland/mod.ts";
import { DamagedScreen } from "../../../../ffi/wayland/wlroots/damaged_screen.ts";
import { FrameRequest } from "../../../../ffi/wayland/wlroots/screencopy.ts";
import { keptFrame } from "../../../support/clipboard_tools.ts";
import { ownCommand } from "../../../support/compositors.ts";
import { need } from "../../../support/need.ts";
import { rgbOf } from "../../../support/pictures.ts";
import { until } from "../../../support/shell.ts";
import { needSway, SWAY, Sway } from "../../../support/sway.ts";

const NEEDED = need("sway", "swaymsg", "foot", "grim");

/** A terminal full of distinct characters. */
const DRAWING = ["foot", "sh", "-c", "seq 400 | tr '\\n' ' '; exec sleep 1000"] as const;

/** A picture: rows of red, green and blue. */
interface Rgb {
  width: number;
  height: number;
  rgb: Uint8Array;
}

async function grim(sway: Sway, ...args: string[]): Promise<Rgb> {
  const own = ownCommand("grim", [...args, "-t", "ppm", "-"]);
  const { stdout } = await new Deno.Command(own.program, { args: own.args, ...own.user, env: sway.env })
    .output();
  const header = /^P6\s+(\d+)\s+(\d+)\s+255\n/.exec(new TextDecoder("latin1").decode(stdout.slice(0, 40)))!;
  return { width: Number(header[1]), height: Number(header[2]), rgb: stdout.slice(header[0].length) };
}

function pictureOf(frame: Frame): Rgb {
  return { width: frame.width, height: frame.height, rgb: rgbOf(frame) };
}

/** Whether two pictures are equal and not of a single color. */
function isEqual(a: Rgb, b: Rgb): boolean {
  if (a.width !== b.width || a.height !== b.height) return false;
  const isPlain = a.rgb.every((value, i) => value === a.rgb[i % 3]);
  return !isPlain && a.rgb.every((value, i) => value === b.rgb[i]);
}

/** A picture taken by the Worker. */
async function shared(desktop: WaylandDesktop, region: Region): Promise<Frame> {
  const { width, height } = region, memory = new SharedArrayBuffer(width * height * 4);
  await desktop.screen.captureInto!(region, false, memory);
  return { width, height, stride: width * 4, pixels: new Uint8Array(memory).slice() };
}

/** Waits until deskhand's and grim's pictures are equal: at first, programs draw between the two. */
async function agree(
  sway: Sway,
  desktop: WaylandDesktop,
  region: () => Region,
  args: string[],
  what: string,
) {
  await until(
    async () => {
      const theirs = await grim(sway, ...args);
      return isEqual(theirs, pictureOf(await keptFrame(desktop.screen, region(), false))) &&
        isEqual(theirs, pictureOf(await shared(desktop, region())));
    },
    Boolean,
    () => `the pictures differ: ${what}`,
  );
}

Deno.test({ name: "screenshots equal grim's, pixel for pixel", ...NEEDED }, async (t) => {
  await using sway = await Sway.start({
    outputs: [
      "output HEADLESS-1 resolution 640x400 position 0 0",
      "output HEADLESS-2 resolution 320x240 position 640 0",
    ],
  });
  const desktop = await openWayland(sway.socket);
  await using _foot = sway.spawn(...DRAWING);
  await sway.windows(1);
  const display = (name: string) => desktop.screen.layout().displays.find((one) => one.name === name)!;
  await t.step("of the whole desktop, each output, and regions", async () => {
    await agree(sway, desktop, () => desktop.screen.layout(), [], "the whole desktop");
    await agree(sway, desktop, () => display("HEADLESS-1"), ["-o", "HEADLESS-1"], "an output");
    for (const [x, y, width, height] of [[10, 20, 200, 100], [3, 4, 37, 15], [500, 100, 300, 50]]) {
      const region = { x, y, width, height };
      await agree(
        sway,
        desktop,
        () => region,
        ["-g", `${x},${y} ${width}x${height}`],
        JSON.stringify(region),
      );
    }
  });
  await t.step("of a rotated and flipped output", async () => {
    await sway.output("HEADLESS-2", "position", "2000", "0");
    for (
      const transform of ["90", "180", "270", "flipped", "flipped-90", "flipped-180", "flipped-270", "normal"]
    ) {
      await sway.output("HEADLESS-1", "transform", transform);
      await agree(sway, desktop, () => display("HEADLESS-1"), ["-o", "HEADLESS-1"], transform);
    }
  });
  await t.step("of an output at scale 1.5 left of the origin", async () => {
    await sway.output("HEADLESS-1", "resolution", "960x540", "scale", "1.5", "position", "-100", "-100");
    await until(() => display("HEADLESS-1").x === -150);
    assertEquals([display("HEADLESS-1").width, display("HEADLESS-1").height], [960, 540]);
    await agree(sway, desktop, () => display("HEADLESS-1"), ["-o", "HEADLESS-1"], "scale 1.5");
  });
  desktop.close();
});

Deno.test(
  { name: "a picture does not change until it is released, while others are taken", ...needSway() },
  async () => {
    await using sway = await Sway.start({
      outputs: ["output HEADLESS-1 resolution 320x240 position 0 0 background #102030 solid_color"],
    });
    const desktop = await openWayland(sway.socket), region = desktop.screen.layout();
    const color = async () =>
      (await keptFrame(desktop.screen, { x: 5, y: 5, width: 1, height: 1 }, false)).pixels.slice(0, 3);
    await until(color, ([blue]) => blue === 0x30);
    const picture = await desktop.screen.picture(region, false);
    const [kept] = picture.parts;
    await sway.output("HEADLESS-1", "background", "#a0b0c0", "solid_color");
    await until(color, ([blue]) => blue === 0xc0);
    const taken = await Promise.all(Array.from({ length: 6 }, () => desktop.screen.picture(region, true)));
    for (const one of taken) {
      for (const { pixels } of one.parts) {
        assertEquals([...pixels.slice(0, 3)], [0xc0, 0xb0, 0xa0]);
      }
    }
    for (const one of taken) one.release();
    assertEquals([...kept.pixels.slice(0, 3)], [0x30, 0x20, 0x10]);
    desktop.close();
    assertEquals([...kept.pixels.slice(-4, -1)], [0x30, 0x20, 0x10]);
    picture.release();
    picture.release();
  },
);

/** An output of one color. */
const SMALL = ["output HEADLESS-1 resolution 320x240 position 0 0"];

/** Whether something is drawn in a square of a one-color screen; its first pixel is the background. */
async function isDrawnAt(desktop: WaylandDesktop, { x, y }: Point): Promise<boolean> {
  const frame = await keptFrame(desktop.screen, { x: x - 8, y: y - 8, width: 32, height: 32 }, true);
  return rgbOf(frame).some((value, i, all) => value !== all[i % 3]);
}

Deno.test({ name: "a screenshot shows everything done before its request", ...SWAY }, async () => {
  await using sway = await Sway.start({ outputs: SMALL });
  const desktop = await openWayland(sway.socket), places = [{ x: 40, y: 40 }, { x: 240, y: 160 }];
  // The pointer stands for any action: headless sway draws it, and moves it immediately.
  for (let i = 0; i < 45; i++) {
    const at = places[i % 2], before = places[(i + 1) % 2];
    await desktop.pointer.move(at);
    const seen = [await isDrawnAt(desktop, at), await isDrawnAt(desktop, before)];
    assertEquals(seen, [true, false], `after move ${i}`);
    // Sometimes immediately after the last frame, sometimes after a long idle time.
    for (let still = 0; still < i % 3; still++) assertEquals(await isDrawnAt(desktop, at), true);
    await delay(i % 5 * 9);
  }
  desktop.close();
});

// A compositor's damage reports, for the live view.

/** Outputs, and whether a small change on the first one has a small box. */
const ARRANGEMENTS: [name: string, outputs: string[], isSmall: boolean][] = [
  ["one output", ["output HEADLESS-1 resolution 320x240 position 0 0"], true],
  ["two outputs, one of them rotated", [
    "output HEADLESS-1 resolution 320x240 position -100 -50",
    "output HEADLESS-2 resolution 320x240 position 220 0 transform 90",
  ], true],
  ["a scaled output", ["output HEADLESS-1 resolution 480x360 position 0 0 scale 1.5"], true],
  ["a rotated output", ["output HEADLESS-1 resolution 320x240 position 0 0 transform 90"], false],
];

/** A screen's colors, without the unused byte. */
function colorsOf(pixels: Uint8Array): Uint8Array {
  return pixels.map((value, i) => i % 4 === 3 ? 0 : value);
}

/** Updates until nothing changes any longer. @returns The boxes of the changes. */
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
  Deno.test({ name: `fetches a change with its box: ${name}`, ...SWAY }, async () => {
    await using sway = await Sway.start({ outputs });
    const desktop = await openWayland(sway.socket), { x, y, width, height } = desktop.screen.layout();
    await desktop.pointer.move({ x: x + 50, y: y + 60 });
    const screen = (await DamagedScreen.open(sway.socket, undefined))!;
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

Deno.test({ name: "a screen that cannot be fetched leaves no memory behind", ...SWAY }, async () => {
  await using sway = await Sway.start();
  const mapped = () => Deno.readTextFileSync("/proc/self/maps").match(/memfd:deskhand/g)?.length ?? 0;
  const before = mapped(), { copy } = FrameRequest.prototype;
  FrameRequest.prototype.copy = function (when) {
    if (when === "now") throw new DesktopUnavailableError("refused");
    copy.call(this, when);
    assertEquals(mapped(), before + 1);
  };
  try {
    await assertRejects(() => DamagedScreen.open(sway.socket, undefined), DesktopUnavailableError, "refused");
  } finally {
    FrameRequest.prototype.copy = copy;
  }
  assertEquals(mapped(), before);
});

Deno.test(
  { name: "fetches a resized screen again, but not an idle one", ...SWAY },
  async () => {
    await using sway = await Sway.start();
    const screen = (await DamagedScreen.open(sway.socket, undefined))!, { place } = screen;
    await changesOf(screen, () => true);
    await sway.output("HEADLESS-1", "resolution", "640x400");
    const boxes = await changesOf(screen, () => screen.place.width === 640);
    assert(screen.place !== place);
    assertEquals(boxes.some((box) => box.width === 640 && box.height === 400), true);
    assertEquals(screen.pixels.length, 640 * 400 * 4);
    await until(() => {
      const start = performance.now();
      screen.wait(200);
      return performance.now() - start >= 199; // nothing has interrupted the wait
    });
    assertEquals(screen.update(), { box: undefined });
    screen.close();
  },
);

Deno.test(
  { name: "waits for an idle screen until it changes or an alarm rings", ...SWAY },
  async () => {
    await using sway = await Sway.start();
    const alarm = new Alarm(openLibc()),
      screen = (await DamagedScreen.open(sway.socket, undefined, alarm.fd))!;
    await changesOf(screen, () => true);
    const desktop = await openWayland(sway.socket);
    const waited = (ms: number) => {
      const start = performance.now();
      screen.wait(ms);
      return performance.now() - start;
    };
    const rested = () => {
      screen.update(); // processes what has arrived
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
