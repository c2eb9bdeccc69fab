/** Displays with different scales, and displays that come and go while in use. */

import { assertEquals, assertRejects } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { openWayland, type WaylandDesktop } from "../../../../ffi/wayland/mod.ts";
import { PIXEL_FORMATS } from "../../../../ffi/wayland/wire/frame_buffers.ts";
import {
  arrange,
  drawOutput,
  fromLogical,
  layoutOf,
  motionTo,
  type OutputState,
} from "../../../../ffi/wayland/wire/outputs.ts";
import { DamagedScreen } from "../../../../ffi/wayland/wlroots/damaged_screen.ts";
import { keptFrame } from "../../../support/clipboard_tools.ts";
import { COMPOSITOR_NAME, ownCommand } from "../../../support/compositors.ts";
import { until } from "../../../support/shell.ts";
import { needSway, SWAY, Sway } from "../../../support/sway.ts";

const OUTPUTS = [
  "output HEADLESS-1 resolution 640x400 position 0 0 scale 1",
  "output HEADLESS-2 resolution 640x480 position 640 0 scale 2",
];
/** The displays' positions: the desktop has the larger scale, and the other display is scaled up. */
const PLACES = ["0,0,1280,800", "1280,0,640,480"];

/** The displays' positions and sizes, or why there are none. */
function places(desktop: WaylandDesktop): string[] {
  try {
    return desktop.screen.layout().displays.map(({ x, y, width, height }) => [x, y, width, height].join());
  } catch (error) {
    if (error instanceof DesktopUnavailableError) return [error.message];
    throw error;
  }
}

async function pictureSize(desktop: WaylandDesktop): Promise<number[]> {
  const { width, height } = await keptFrame(desktop.screen, desktop.screen.layout(), true);
  return [width, height];
}

/** Moves and waits until the compositor tells another connection the position. */
async function reaches(desktop: WaylandDesktop, other: WaylandDesktop, x: number, y: number) {
  await desktop.pointer.move({ x, y });
  await until(() => other.pointer.position(), (place) => place.x === x && place.y === y);
}

Deno.test(
  { name: "reaches every pixel of displays with different scales, even of a new one", ...needSway() },
  async () => {
    await using sway = await Sway.start({ outputs: OUTPUTS });
    const desktop = await openWayland(sway.socket), other = await openWayland(sway.socket);
    assertEquals(places(desktop), PLACES);
    for (const [x, y] of [[1281, 1], [1919, 479], [1500, 333], [0, 0], [1278, 798]]) {
      await reaches(desktop, other, x, y);
    }
    const live = (await DamagedScreen.open(sway.socket, undefined))!;
    assertEquals(await pictureSize(desktop), [1920, 800]);
    await sway.run("swaymsg", "create_output");
    await sway.output("HEADLESS-3", "resolution", "320x240", "position", "960", "0", "scale", "1");
    await until(() => places(desktop), (all) => all.join(" ") === [...PLACES, "1920,0,640,480"].join(" "));
    assertEquals(await pictureSize(desktop), [2560, 800]);
    await reaches(desktop, other, 2558, 478);
    await until(() => (live.update(), live.place.width === 2560 && live.pixels.length === 2560 * 800 * 4));
    for (const one of [live, other, desktop]) one.close();
  },
);

/** A sway that can unplug headless displays: 1.8 can, Debian 12's 1.7 cannot. */
const { program, args } = ownCommand("sway", ["--version"]);
const isLater = !SWAY.ignore && COMPOSITOR_NAME === "sway" &&
  Number(
      /1\.(\d+)/.exec(new TextDecoder().decode(new Deno.Command(program, { args }).outputSync().stdout))?.[1],
    ) > 7;

if (isLater) {
  Deno.test("displays may be unplugged while in use", async () => {
    await using sway = await Sway.start({ outputs: OUTPUTS });
    const desktop = await openWayland(sway.socket), other = await openWayland(sway.socket);
    const live = (await DamagedScreen.open(sway.socket, undefined))!;
    assertEquals(await pictureSize(desktop), [1920, 800]);
    await reaches(desktop, other, 1800, 100);
    await sway.run("swaymsg", "--", "output", "HEADLESS-2", "unplug");
    await until(() => places(desktop), (all) => all.join(" ") === "0,0,640,400");
    assertEquals(await pictureSize(desktop), [640, 400]);
    await reaches(desktop, other, 639, 399);
    await until(() => (live.update(), live.place.width === 640 && live.pixels.length === 640 * 400 * 4));
    await sway.output("HEADLESS-1", "disable");
    await until(() => places(desktop), ([first]) => /no display/.test(first));
    await assertRejects(() => pictureSize(desktop), DesktopUnavailableError, "no display");
    for (const one of [live, other, desktop]) one.close();
  });
}

// Positions on several outputs, scaled and rotated, and their combined pictures.

function output(
  name: string,
  [width, height]: [number, number],
  logical: [number, number, number, number],
  transform = 0,
): OutputState {
  const [x, y, w, h] = logical;
  return { name, mode: { width, height }, transform, logical: { x, y, width: w, height: h } };
}

Deno.test("a desktop is as large as its outputs at the largest scale", () => {
  const arrangement = arrange([
    output("left", [960, 540], [-100, -100, 640, 360]), // scale 1.5
    output("right", [480, 640], [540, -100, 640, 480], 1), // rotated, scale 1
  ]);
  assertEquals(arrangement.scale, 1.5);
  assertEquals(layoutOf(arrangement), {
    x: -150,
    y: -150,
    width: 1920,
    height: 720,
    displays: [
      { name: "left", primary: true, x: -150, y: -150, width: 960, height: 540 },
      { name: "right", primary: false, x: 810, y: -150, width: 960, height: 720 },
    ],
  });
});

Deno.test("outputs and displays are ordered from left to right, in whatever order they arrive", () => {
  const arrangement = arrange([
    output("right", [800, 600], [1366, 0, 800, 600]),
    output("below", [800, 600], [0, 768, 800, 600]),
    output("left", [1366, 768], [0, 0, 1366, 768]),
  ]);
  const names = ["left", "below", "right"];
  assertEquals(arrangement.outputs.map((one) => one.output.name), names);
  assertEquals(layoutOf(arrangement).displays.map(({ name }) => name), names);
});

Deno.test("finds a scale although the logical size is rounded", () => {
  assertEquals(arrange([output("a", [1366, 768], [0, 0, 911, 512])]).scale, 1.5);
  assertEquals(arrange([output("a", [1366, 768], [0, 0, 910, 512])]).scale, 1.5);
  assertEquals(layoutOf(arrange([output("a", [1366, 768], [0, 0, 910, 512])])).width, 1366);
});

Deno.test("every pixel survives the round trip through the compositor's fractions", () => {
  for (
    const [mode, logical] of [[[1920, 1080], [1280, 720]], [[1366, 768], [910, 512]], [[1280, 720], [
      1280,
      720,
    ]], [
      [3840, 2160],
      [1728, 972],
    ]] as [[number, number], [number, number]][]
  ) {
    const arrangement = arrange([output("a", mode, [-100, 7, ...logical])]), [placed] = arrangement.outputs;
    for (let i = 0; i < mode[0]; i++) {
      const point = { x: placed.region.x + i, y: placed.region.y + i % mode[1] };
      const motion = motionTo(arrangement, point);
      for (const cut of [Math.floor, Math.round]) { // to wl_fixed's 8 fractional bits
        const place = {
          x: cut(motion.x / motion.width * logical[0] * 256) / 256,
          y: cut(motion.y / motion.height * logical[1] * 256) / 256,
        };
        assertEquals(fromLogical(placed, place), point);
        const seen = (at: number, size: number, pixels: number) => Math.floor(at * pixels / size + 1e-9);
        assertEquals(seen(place.x, logical[0], mode[0]), i, `a program sees pixel ${i} of ${mode[0]}`);
        assertEquals(seen(place.y, logical[1], mode[1]), i % mode[1]);
      }
    }
  }
});

/** Rows of distinct pixels. */
const SOURCE = [[1, 2, 3], [4, 5, 6]];
/** The pictures as a user sees them, by wl_output.transform. */
const SEEN: number[][][] = [
  [[1, 2, 3], [4, 5, 6]],
  [[4, 1], [5, 2], [6, 3]],
  [[6, 5, 4], [3, 2, 1]],
  [[3, 6], [2, 5], [1, 4]],
  [[3, 2, 1], [6, 5, 4]],
  [[1, 4], [2, 5], [3, 6]],
  [[4, 5, 6], [1, 2, 3]],
  [[6, 3], [5, 2], [4, 1]],
];

Deno.test("draws a rotated, flipped or inverted picture upright", () => {
  for (const isInverted of [false, true]) {
    for (const [transform, seen] of SEEN.entries()) {
      const [height, width] = [seen.length, seen[0].length];
      const [placed] = arrange([output("a", [3, 2], [0, 0, width, height], transform)]).outputs;
      const rows = isInverted ? SOURCE.toReversed() : SOURCE;
      const bytes = new Uint8Array(Uint32Array.from(rows.flatMap((row) => [...row, 99])).buffer);
      const picture = { width: 3, height: 2, stride: 16, format: PIXEL_FORMATS.get(1)!, isInverted, bytes };
      const target = new Uint32Array(width * height);
      drawOutput(picture, placed, { x: 0, y: 0, width, height }, target);
      assertEquals([...target], seen.flat(), `transform ${transform}, inverted ${isInverted}`);
    }
  }
});

Deno.test("converts pixels of every format to blue, green, red", () => {
  const fourcc = (name: string) => new DataView(new TextEncoder().encode(name).buffer).getUint32(0, true);
  const rows: [format: number, bytes: number[]][] = [
    [0, [3, 2, 1, 9]],
    [1, [3, 2, 1, 9]],
    [fourcc("AB24"), [1, 2, 3, 9]],
    [fourcc("XB24"), [1, 2, 3, 9]],
    [fourcc("XR30"), [...new Uint8Array(Uint32Array.of((1 << 22) | (2 << 12) | (3 << 2)).buffer)]],
    [fourcc("AR30"), [...new Uint8Array(Uint32Array.of((1 << 22) | (2 << 12) | (3 << 2)).buffer)]],
    [fourcc("XB30"), [...new Uint8Array(Uint32Array.of((3 << 22) | (2 << 12) | (1 << 2)).buffer)]],
    [fourcc("AB30"), [...new Uint8Array(Uint32Array.of((3 << 22) | (2 << 12) | (1 << 2)).buffer)]],
    [fourcc("RG24"), [3, 2, 1]],
    [fourcc("BG24"), [1, 2, 3]],
  ];
  assertEquals(rows.length, PIXEL_FORMATS.size);
  const [placed] = arrange([output("a", [2, 1], [0, 0, 2, 1])]).outputs;
  for (const [number, pixel] of rows) {
    const format = PIXEL_FORMATS.get(number)!, bytes = new Uint8Array([...pixel, ...pixel, 7, 7]);
    const target = new Uint32Array(2);
    drawOutput(
      { width: 2, height: 1, stride: bytes.length, format, isInverted: false, bytes },
      placed,
      { x: 0, y: 0, width: 2, height: 1 },
      target,
    );
    assertEquals([...target].map((value) => value & 0xffffff), [0x010203, 0x010203], `format ${number}`);
  }
});

Deno.test("scales up an output of a smaller scale, and fills gaps between outputs with black", () => {
  const arrangement = arrange([
    output("large", [4, 4], [0, 0, 2, 2]), // scale 2
    output("small", [1, 1], [2, 0, 1, 1]),
  ]);
  const target = new Uint32Array(24), bytes = new Uint8Array(Uint32Array.of(5).buffer);
  const picture = { width: 1, height: 1, stride: 4, format: PIXEL_FORMATS.get(1)!, isInverted: false, bytes };
  drawOutput(picture, arrangement.outputs[1], arrangement.region, target);
  assertEquals([...target], [
    ...[0, 0, 0, 0, 5, 5],
    ...[0, 0, 0, 0, 5, 5],
    ...[0, 0, 0, 0, 0, 0],
    ...[0, 0, 0, 0, 0, 0],
  ]);
});
