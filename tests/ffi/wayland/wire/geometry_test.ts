/** Places on several outputs, scaled and turned, and their pictures side by side. */

import { assertEquals } from "@std/assert";
import {
  arrange,
  drawOutput,
  fromLogical,
  layoutOf,
  motionTo,
  type OutputState,
  PIXEL_FORMATS,
} from "../../../../ffi/wayland/wire/outputs.ts";

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
    output("right", [480, 640], [540, -100, 640, 480], 1), // turned, scale 1
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

Deno.test("outputs and displays are in one order, from left to right, however the compositor names them", () => {
  const arrangement = arrange([
    output("right", [800, 600], [1366, 0, 800, 600]),
    output("below", [800, 600], [0, 768, 800, 600]),
    output("left", [1366, 768], [0, 0, 1366, 768]),
  ]);
  const names = ["left", "below", "right"];
  assertEquals(arrangement.outputs.map((one) => one.output.name), names);
  assertEquals(layoutOf(arrangement).displays.map(({ name }) => name), names);
});

Deno.test("a scale is found though the logical size is rounded", () => {
  assertEquals(arrange([output("a", [1366, 768], [0, 0, 911, 512])]).scale, 1.5);
  assertEquals(arrange([output("a", [1366, 768], [0, 0, 910, 512])]).scale, 1.5);
  assertEquals(layoutOf(arrange([output("a", [1366, 768], [0, 0, 910, 512])])).width, 1366);
});

Deno.test("every pixel's place comes back from the compositor's fractions as the same pixel", () => {
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
      // wl_fixed has 8 bits behind the point.
      const cut = (at: number, extent: number, size: number) => Math.floor(at / extent * size * 256) / 256;
      const place = {
        x: cut(motion.x, motion.width, logical[0]),
        y: cut(motion.y, motion.height, logical[1]),
      };
      assertEquals(fromLogical(placed, place), point);
    }
  }
});

/** Pixels that are all different, as rows. */
const SOURCE = [[1, 2, 3], [4, 5, 6]];
/** The pictures as a person sees them, by wl_output.transform. */
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

Deno.test("a turned, flipped or inverted picture is drawn upright", () => {
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

Deno.test("pixels of every format become blue, green, red", () => {
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

Deno.test("an output of a smaller scale is enlarged, and what no output shows is black", () => {
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
