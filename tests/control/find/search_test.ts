/** Searching for a picture: the same places as without shortcuts, in bounded work. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import type { Pixels } from "../../../control/find/pattern.ts";
import type { SearchOptions } from "../../../control/find/options.ts";
import { search } from "../../../control/find/search.ts";
import type { Bitmap } from "../../../control/image/bitmap.ts";
import { InputError } from "../../../core/errors.ts";
import { Random } from "../../fuzz/random.ts";
import { bruteForce } from "./brute_force.ts";

const EXACT: SearchOptions = { tolerance: 0, match: 1, limit: 1, best: false };

function screenOf(
  width: number,
  height: number,
  color: (x: number, y: number) => number,
): Pixels & Bitmap {
  const pixels = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) pixels[y * width + x] = color(x, y);
  return { width, height, stride: width, pixels };
}

function cut(screen: Pixels, x: number, y: number, width: number, height: number): Bitmap {
  const pixels = new Uint32Array(width * height);
  for (let i = 0; i < pixels.length; i++) {
    pixels[i] = screen.pixels[(y + Math.floor(i / width)) * screen.stride + x + i % width] & 0xffffff;
  }
  return { width, height, pixels };
}

/** A screen of few colours with a stride of its own and junk in the fourth bytes, and a picture cut from it. */
function someCase(random: Random, most: { width: number; height: number; side: number }) {
  const colors = Array.from(
    { length: 1 + random.below(5) },
    () => random.below(3) * 0x0a0a0a + random.below(2) * 5 + random.below(2) * 0x300000,
  );
  const width = 10 + random.below(most.width), height = 8 + random.below(most.height);
  const stride = width + random.below(3);
  // Runs of one colour make plain areas, in which shortcuts are taken.
  let color = 0;
  const pixels = Uint32Array.from({ length: stride * height + 4 }, () => {
    if (random.once(1 + random.below(4))) color = random.pick(colors);
    return (color | random.below(256) << 24) >>> 0;
  });
  const screen = { width, height, stride, pixels };
  const w = 1 + random.below(Math.min(most.side, width)), h = 1 + random.below(Math.min(most.side, height));
  const picture = cut(screen, random.below(width - w + 1), random.below(height - h + 1), w, h);
  for (let wrong = random.below(4); wrong > 0; wrong--) {
    picture.pixels[random.below(picture.pixels.length)] = random.pick(colors) + random.below(4) & 0xffffff;
  }
  if (random.once(3)) {
    picture.opaque = Uint8Array.from(picture.pixels, () => random.once(4) ? 0 : 1);
    picture.opaque[random.below(picture.pixels.length)] = 1;
  }
  return { screen, picture };
}

function compare(random: Random, most: { width: number; height: number; side: number }): number {
  const { screen, picture } = someCase(random, most);
  const options = {
    tolerance: random.pick([0, 0, 3, 10, 255, random.below(256)]),
    match: random.pick([1, 1, 0.95, 0.9, 0.7, 0.5]),
    limit: random.pick([1, 2, 100]),
    best: false,
  };
  const expected = bruteForce(screen, picture, options);
  const { places } = search(screen, picture, options);
  assertEquals(places, expected, JSON.stringify({ ...options, screen, picture }).slice(0, 2000));
  return expected.length;
}

Deno.test("3000 small searches find what is found without shortcuts", () => {
  const random = new Random(1);
  let found = 0;
  for (let i = 0; i < 3000; i++) found += compare(random, { width: 30, height: 24, side: 8 }) && 1;
  assert(found > 1500, `${found}`);
});

Deno.test("150 searches for pictures of up to 40x40 pixels, which are sampled, find the same", () => {
  const random = new Random(2);
  for (let i = 0; i < 150; i++) compare(random, { width: 60, height: 50, side: 40 });
});

Deno.test("a picture of one colour is found as without shortcuts, by a share too", () => {
  const random = new Random(3);
  for (let i = 0; i < 300; i++) {
    const screen = screenOf(30, 20, () => random.once(6) ? 0xff0000 + random.below(9) : 0xffffff);
    const width = 1 + random.below(12), height = 1 + random.below(12);
    const picture = { width, height, pixels: new Uint32Array(width * height).fill(0xffffff) };
    const options = { ...EXACT, match: random.pick([1, 0.9, 0.8]), limit: random.pick([1, 100]) };
    assertEquals(search(screen, picture, options).places, bruteForce(screen, picture, options));
  }
});

Deno.test("an empty area is not taken for a button, however much of the button is empty", () => {
  const button = (x: number, y: number) => x > 4 && x < 30 && y > 4 && y < 9 && (x + y) % 5 === 0;
  const screen = screenOf(
    300,
    200,
    (x, y) => x >= 200 && y >= 150 && button(x - 200, y - 150) ? 0x202020 : 0xf0f0f0,
  );
  const picture = cut(screen, 200, 150, 40, 16);
  picture.pixels[0] = 0xff0000; // it has changed a little
  const isInk = (color: number) => color === 0x202020;
  const ink = picture.pixels.filter(isInk).length / picture.pixels.length;
  assert(ink < 0.05, "more than 95 % of the picture agrees with any empty area");
  const { places } = search(screen, picture, { ...EXACT, match: 0.9 });
  assertEquals(places.map(({ x, y }) => [x, y]), [[200, 150]]);
  const without = screenOf(300, 200, () => 0xf0f0f0);
  assertEquals(search(without, picture, { ...EXACT, match: 0.9 }).places, []);
});

Deno.test("best is the place that agrees most, if none agrees enough", () => {
  const random = new Random(4);
  const screen = screenOf(200, 100, () => random.below(0x1000000));
  const picture = cut(screen, 120, 40, 30, 20);
  for (let i = 0; i < picture.pixels.length; i += 4) picture.pixels[i] ^= 0x808080;
  const { places, best } = search(screen, picture, { ...EXACT, match: 0.9, best: true });
  assertEquals([places, best?.x, best?.y], [[], 120, 40]);
  assert(Math.abs(best!.loss - 0.25) < 0.01, `${best!.loss}`);
  const strange = { ...picture, pixels: picture.pixels.map((color) => color ^ 0x404040) };
  assertEquals(search(screen, strange, { ...EXACT, best: true }), { places: [] });
});

Deno.test("a picture as large as the screen has one place, a larger one none", () => {
  const random = new Random(5), screen = screenOf(20, 10, () => random.below(0x1000000));
  assertEquals(search(screen, cut(screen, 0, 0, 20, 10), EXACT).places.length, 1);
  const larger = { width: 21, height: 10, pixels: new Uint32Array(210) };
  assertEquals(search(screen, larger, EXACT).places, []);
});

Deno.test("a picture of which nothing counts is refused", () => {
  const screen = screenOf(9, 9, () => 0);
  const picture = { width: 2, height: 1, pixels: new Uint32Array(2), opaque: new Uint8Array(2) };
  assertThrows(() => search(screen, picture, EXACT), InputError, "all of the picture is transparent");
});

Deno.test("fine stripes with a spot here and there end within the bounds of work, with a message", () => {
  const random = new Random(6);
  const stripe = (y: number) => y & 1 ? 0xffffff : 0xcccccc;
  const screen = screenOf(1000, 800, (_, y) => random.once(9) ? 0xff : stripe(y));
  const picture = screenOf(200, 100, (_, y) => stripe(y));
  const options = { ...EXACT, match: 0.89, limit: 100 };
  assertThrows(
    () => search(screen, picture, options),
    InputError,
    "the screen looks like the picture nearly everywhere",
  );
});

/** Screens on which a search without care compares billions of pixels. */
const HARD: [
  name: string,
  color: (x: number, y: number) => number,
  picture: (x: number, y: number) => number,
][] = [
  ["a plain picture and a spot everywhere", (x, y) => x % 99 || y % 99 ? 0xffffff : 0, () => 0xffffff],
  ["a plain picture and a grid", (x, y) => x % 80 && y % 80 ? 0x20242c : 0x2b313c, () => 0x20242c],
  [
    "tiles, of which the picture has one pixel otherwise",
    (x, y) => ((x & 7) * 30) << 16 | ((y & 7) * 30) << 8 | 0x40,
    (x, y) => x === 100 && y === 50 ? 0x40 : ((x & 7) * 30) << 16 | ((y & 7) * 30) << 8 | 0x40,
  ],
  [
    "stripes and a spot everywhere",
    (x, y) => x % 99 || y % 99 ? (y & 1 ? 0xffffff : 0xcccccc) : 0xff,
    (_, y) => y & 1 ? 0xffffff : 0xcccccc,
  ],
];

for (const [name, color, pattern] of HARD) {
  Deno.test(`on a large screen, ${name}: the search ends without result, within its bounds of work`, () => {
    const picture = screenOf(200, 100, pattern);
    assertEquals(search(screenOf(1920, 1080, color), picture, EXACT), { places: [] });
  });
}
