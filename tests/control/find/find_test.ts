/** Finding images over HTTP: positions, clicks, and refusals. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { PictureWaits, type SearchOptions } from "../../../control/find/find.ts";
import type { Pixels } from "../../../control/find/pattern.ts";
import { search } from "../../../control/find/search.ts";
import type { Bitmap } from "../../../control/image/bitmap.ts";
import { encodePng } from "../../../control/image/png.ts";
import { InputError } from "../../../core/errors.ts";
import { Random } from "../../fuzz/values.ts";
import { keptFrame } from "../../support/clipboard_tools.ts";
import { controlApi } from "../../support/control.ts";
import { type Bytes, clicked, find, FOUND, frame, picture, RING, wait } from "../../support/pictures.ts";

Deno.test("an image cut from the screen is found where it was cut, as PNG and as BMP", async () => {
  const { api, png } = await clicked();
  assertEquals(await find(api, png), { status: 200, matches: [FOUND] });
  assertEquals(await find(api, await picture(api, RING, "bmp")), { status: 200, matches: [FOUND] });
});

Deno.test("an image is searched in the given region, in desktop pixels", async () => {
  const { api, png } = await clicked();
  for (
    const [query, matches] of [
      ["?x=280&y=180", [FOUND]],
      ["?x=280&y=180&width=40&height=30", [FOUND]],
      ["?x=200&y=100&width=300&height=300&limit=9", [FOUND]],
      ["?x=281", []],
      ["?y=181", []],
      ["?width=319", []],
      ["?height=209", []],
    ] as const
  ) {
    assertEquals(await find(api, png, query), { status: 200, matches }, query);
  }
});

Deno.test("limit is the number of matches, the best first, equal ones in reading order", async () => {
  const api = controlApi();
  for (const window of api.desktop.windows.all) window.close();
  for (const x of [700, 500, 300]) await api.operator.click({ x, y: 200 }, "left");
  await api.operator.click({ x: 516, y: 206 }, "right"); // next to the ring at 500, within its image
  const png = await picture(api);
  const places = async (query: string) =>
    (await find(api, png, query)).matches.map(({ x, y }: { x: number; y: number }) => [x, y]);
  assertEquals(await places("?limit=100&match=0.8"), [[280, 180], [680, 180], [480, 180]]);
  assertEquals(await places("?limit=100"), [[280, 180], [680, 180]]);
  assertEquals(await places("?match=0.8"), [[280, 180]]);
});

Deno.test("tolerance allows other colours, match other pixels, and best returns the nearest match", async () => {
  const { api } = await clicked();
  const taken = await keptFrame(api.desktop.screen, RING, false);
  const shade = { ...taken, pixels: taken.pixels.map((byte) => byte < 250 ? byte + 5 : byte) };
  const shaded = await encodePng(shade);
  assertEquals((await find(api, shaded)).matches, []);
  assertEquals((await find(api, shaded, "?tolerance=4")).matches, []);
  assertEquals((await find(api, shaded, "?tolerance=5")).matches, [FOUND]);
  const changed = taken.pixels.slice();
  for (let row = 0; row < 3; row++) changed.fill(255, row * taken.stride, (row + 1) * taken.stride);
  const spoilt = await encodePng({ ...taken, pixels: changed });
  assertEquals(await find(api, spoilt), { status: 200, matches: [] });
  const { best } = await find(api, spoilt, "?best=true");
  assertEquals([best.x, best.y, best.match > 0.5 && best.match < 1], [RING.x, RING.y, true]);
  const found = await find(api, spoilt, `?match=${best.match}&best=true`);
  assertEquals(found, { status: 200, matches: [best] });
});

Deno.test("click clicks in the center of the image, with any button and count", async () => {
  const { api, png } = await clicked();
  const before = api.desktop.log.length;
  assertEquals(await find(api, png, "?click=right&count=2"), { status: 200, matches: [FOUND] });
  const button = (down: boolean) => ({ type: "button", button: "right", down, x: 300, y: 195 });
  assertEquals(api.desktop.log.slice(before) as unknown[], [
    { type: "move", x: 300, y: 195 },
    ...[true, false, true, false].map(button),
  ]);
});

Deno.test("an image that moves during the search is not clicked where it was, but found again", async () => {
  const api = controlApi(), { windows, screen } = api.desktop, take = screen.take.bind(screen);
  const clock = (await windows.list()).find(({ title }) => title === "Clock")!;
  const png = await picture(api, { x: clock.x + 8, y: clock.y + 6, width: 80, height: 16 });
  const area = { x: clock.x - 50, y: clock.y - 20, width: 330, height: 360 }, large = 20_000;
  const query = `?${new URLSearchParams(Object.entries(area).map(([name, value]) => [name, `${value}`]))}`;
  let jumps = 1, looks = 0;
  screen.take = (region, cursor) => {
    const frame = take(region, cursor);
    // The search uses the second capture of the area.
    if (region.width * region.height > large && ++looks % 2 === 0 && jumps-- > 0) {
      void windows.change(clock, { to: "placed", region: { y: clock.y + 60 + 20 * jumps } });
    }
    return frame;
  };
  const pressed = () =>
    api.desktop.log.flatMap((action) => action.type === "button" && action.down ? [action] : []);
  const found = await find(api, png, `${query}&click=left`);
  assertEquals([found.status, found.matches?.[0].y], [200, clock.y + 66]);
  assertEquals(pressed().map(({ x, y }) => ({ x, y })), [found.matches[0].center]);
  [jumps, looks] = [9, 0];
  const restless = await find(api, png, `${query}&click=left`);
  assertEquals([restless.status, restless.error.slice(0, 9)], [409, "changed: "]);
  assertEquals(pressed().length, 1);
});

Deno.test("a missing image is not clicked: 404, or 408 after timeout_ms", async () => {
  const { api, png } = await clicked();
  const before = api.desktop.log.length;
  const absent = { status: 404, error: "the picture is not on the screen" };
  assertEquals(await find(api, png, "?click=left&x=400"), absent);
  const late = { status: 408, error: "the picture did not appear within 20 ms" };
  assertEquals(await find(api, png, "?click=left&x=400&timeout_ms=20"), late);
  assertEquals(api.desktop.log.length, before);
});

Deno.test("under --read-only an image is found, and not clicked", async () => {
  const { api, png } = await clicked({ readOnly: true });
  const before = api.desktop.log.length;
  assertEquals(await find(api, png), { status: 200, matches: [FOUND] });
  assertEquals((await wait(api, { picture: { png: png.toBase64() } })).status, 200);
  const refused = await find(api, png, "?click=left");
  assertEquals(refused.status, 403);
  assertMatch(refused.error, /--read-only/);
  assertEquals(api.desktop.log.length, before);
});

const PNG_OF_RING = async () => await picture(controlApi());
const REFUSED: [name: string, query: string, file: () => Promise<Bytes>, status: number, error: RegExp][] = [
  ["a body without an image", "", () => new Blob(["hello"]).bytes(), 400, /^the body must be the bytes of/],
  [
    "no body",
    "",
    () => new Blob([]).bytes(),
    400,
    /^the body must be the bytes of a PNG or BMP file, or JSON such as/,
  ],
  ["a body of more than 16 MiB", "", () => new Blob([new Uint8Array(2 ** 24 + 1)]).bytes(), 413, /16777216/],
  ["a damaged file", "", async () => (await PNG_OF_RING()).slice(0, 60), 400, /^cannot read the PNG: /],
  [
    "an image larger than the region",
    "?width=39",
    PNG_OF_RING,
    400,
    /^the picture \(40x30\) is larger than the region \(39x720\)$/,
  ],
  [
    "an image larger than the screen",
    "",
    () => Promise.resolve(encodePng(frame(1281, 2, () => 0))),
    400,
    /^the picture \(1281x2\) is larger than the screen \(1280x720\)$/,
  ],
  ["a region off the desktop", "?x=1280", PNG_OF_RING, 400, /^x must be from 0 to 1279/],
  [
    "a tolerance of 256",
    "?tolerance=256",
    PNG_OF_RING,
    400,
    /^tolerance must be a whole number from 0 to 255/,
  ],
  ["a match of 0.4", "?match=0.4", PNG_OF_RING, 400, /^match must be a number from 0.5 to 1, not 0.4$/],
  ["a limit of 101", "?limit=101", PNG_OF_RING, 400, /^limit must be a whole number from 1 to 100/],
  [
    "a wait of 0 ms",
    "?timeout_ms=0",
    PNG_OF_RING,
    400,
    /^timeout_ms must be a whole number from 1 to 600000/,
  ],
  ["gone without timeout_ms", "?gone=true", PNG_OF_RING, 400, /^Missing timeout_ms: gone requires it$/],
  ["a misspelled field", "?clik=left", PNG_OF_RING, 400, /^clik is unknown: did you mean click\?$/],
  ["an unknown button", "?click=both", PNG_OF_RING, 400, /^click must be one of left, middle, right/],
  ["a count without click", "?count=2", PNG_OF_RING, 400, /^Missing click: count works with click only$/],
  [
    "a click after half a minute",
    "?click=left&timeout_ms=30001",
    PNG_OF_RING,
    400,
    /^timeout_ms may be at most 30000 with click/,
  ],
  ["click and gone", "?click=left&gone=true&timeout_ms=1", PNG_OF_RING, 400, /^click and gone cannot both/],
  ["click and limit", "?click=left&limit=2", PNG_OF_RING, 400, /^click and limit cannot both be given$/],
];

for (const [name, query, file, status, error] of REFUSED) {
  Deno.test(`${name} is refused with ${status}`, async () => {
    const api = controlApi();
    const answer = await find(api, await file(), query);
    assertEquals([Object.keys(answer), answer.status], [["status", "error"], status]);
    assertMatch(answer.error, error);
    assertEquals([api.desktop.log, api.reported], [[], []]);
  });
}

Deno.test("wait refuses an invalid base64 image, and says which field", async () => {
  const api = controlApi();
  for (const png of ["not base64!", btoa("hello"), 5, ""]) {
    const { status, error } = await wait(api, { picture: { png } });
    assertEquals(status, 400);
    assertMatch(error, /^picture\.png must be a PNG or BMP file/);
  }
  assertEquals((await wait(api, { picture: {} })).error, "Missing picture.png");
  const both = await wait(api, { change: {}, still: { ms: 5 } });
  assertEquals(both.error, "still and change cannot both be given");
});

// The search by its definition, without any shortcut, as reference for the real search.

/** A position and its share of matching pixels. */
interface Found {
  x: number;
  y: number;
  /** The share of wrong pixels among the pixels that count. */
  loss: number;
}

function isNear(a: number, b: number, tolerance: number): boolean {
  return [16, 8, 0].every((shift) => Math.abs((a >> shift & 255) - (b >> shift & 255)) <= tolerance);
}

/** The most frequent colour; the first if tied. */
function background({ pixels, opaque }: Bitmap): number {
  const counted = [...pixels].filter((_, i) => !opaque || opaque[i]);
  const count = (color: number) => counted.filter((other) => other === color).length;
  return counted.toSorted((a, b) => count(b) - count(a))[0];
}

/** The positions that match well enough, the best first; none overlaps a better one. */
function bruteForce(screen: Pixels, picture: Bitmap, options: SearchOptions): Found[] {
  const { tolerance, match, limit } = options, { width, height, pixels, opaque } = picture;
  const plain = background(picture);
  const counted = [...pixels.keys()].filter((i) => !opaque || opaque[i]);
  const details = counted.filter((i) => !isNear(pixels[i], plain, tolerance));
  const all: Found[] = [];
  for (let y = 0; y + height <= screen.height; y++) {
    for (let x = 0; x + width <= screen.width; x++) {
      const share = (of: number[]) =>
        of.filter((i) => {
          const at = (y + Math.floor(i / width)) * screen.stride + x + i % width;
          return !isNear(screen.pixels[at], pixels[i], tolerance);
        }).length / Math.max(1, of.length);
      const loss = Math.max(share(counted), share(details));
      if (loss <= 1 - match + 1e-9) all.push({ x, y, loss });
    }
  }
  all.sort((a, b) => a.loss - b.loss || a.y - b.y || a.x - b.x);
  const kept: Found[] = [];
  for (const place of all) {
    const isFree = kept.every(({ x, y }) =>
      Math.abs(x - place.x) >= width || Math.abs(y - place.y) >= height
    );
    if (isFree && kept.length < limit) kept.push(place);
  }
  return kept;
}

// Image search: the same positions as without shortcuts, with bounded work.

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

/** A screen of few colours with a padded stride and junk in the fourth bytes, and an image cut from it. */
function someCase(random: Random, most: { width: number; height: number; side: number }) {
  const colors = Array.from(
    { length: 1 + random.below(5) },
    () => random.below(3) * 0x0a0a0a + random.below(2) * 5 + random.below(2) * 0x300000,
  );
  const width = 10 + random.below(most.width), height = 8 + random.below(most.height);
  const stride = width + random.below(3);
  // Runs of one colour create plain areas, in which shortcuts are taken.
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

Deno.test("3000 small searches find the same as without shortcuts", () => {
  const random = new Random(1);
  let found = 0;
  for (let i = 0; i < 3000; i++) found += compare(random, { width: 30, height: 24, side: 8 }) && 1;
  assert(found > 1500, `${found}`);
});

Deno.test("150 searches for sampled images of up to 40x40 pixels find the same", () => {
  const random = new Random(2);
  for (let i = 0; i < 150; i++) compare(random, { width: 60, height: 50, side: 40 });
});

Deno.test("a single-colour image is found as without shortcuts, also by share", () => {
  const random = new Random(3);
  for (let i = 0; i < 300; i++) {
    const screen = screenOf(30, 20, () => random.once(6) ? 0xff0000 + random.below(9) : 0xffffff);
    const width = 1 + random.below(12), height = 1 + random.below(12);
    const picture = { width, height, pixels: new Uint32Array(width * height).fill(0xffffff) };
    const options = { ...EXACT, match: random.pick([1, 0.9, 0.8]), limit: random.pick([1, 100]) };
    assertEquals(search(screen, picture, options).places, bruteForce(screen, picture, options));
  }
});

Deno.test("an empty area is not mistaken for a button, however empty the button is", () => {
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

Deno.test("best is the closest position if none matches well enough", () => {
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

Deno.test("in grey, colours of the same brightness match, and best returns the best position", () => {
  const random = new Random(5), width = 60, height = 40;
  const screen = { width, height, stride: width + 3, pixels: new Uint32Array((width + 3) * height) };
  for (let i = 0; i < screen.pixels.length; i++) screen.pixels[i] = random.below(0x1000000);
  const picture = cut(screen, 31, 17, 12, 9);
  // Each pixel as gray: the luma of ITU-R BT.601.
  picture.pixels.forEach((color, i) => {
    const luma = 299 * (color >> 16 & 255) + 587 * (color >> 8 & 255) + 114 * (color & 255);
    picture.pixels[i] = Math.floor(luma / 1000) * 0x10101;
  });
  assertEquals(search(screen, picture, EXACT).places, []);
  const gray = { ...EXACT, grayscale: true };
  assertEquals(search(screen, picture, gray).places, [{ x: 31, y: 17, loss: 0 }]);
  assertEquals(search(screen, picture, { ...gray, match: 0.5, tolerance: 100 }).places, [
    { x: 31, y: 17, loss: 0 },
  ]);
});

Deno.test("an image as large as the screen has one position, a larger one none", () => {
  const random = new Random(5), screen = screenOf(20, 10, () => random.below(0x1000000));
  assertEquals(search(screen, cut(screen, 0, 0, 20, 10), EXACT).places.length, 1);
  const larger = { width: 21, height: 10, pixels: new Uint32Array(210) };
  assertEquals(search(screen, larger, EXACT).places, []);
});

Deno.test("an image without any pixel that counts is refused", () => {
  const screen = screenOf(9, 9, () => 0);
  const picture = { width: 2, height: 1, pixels: new Uint32Array(2), opaque: new Uint8Array(2) };
  assertThrows(() => search(screen, picture, EXACT), InputError, "the picture is entirely transparent");
});

Deno.test("fine stripes with scattered spots end within the work limit, with a message", () => {
  const random = new Random(6);
  const stripe = (y: number) => y & 1 ? 0xffffff : 0xcccccc;
  const screen = screenOf(1000, 800, (_, y) => random.once(9) ? 0xff : stripe(y));
  const picture = screenOf(200, 100, (_, y) => stripe(y));
  const options = { ...EXACT, match: 0.89, limit: 100 };
  assertThrows(
    () => search(screen, picture, options),
    InputError,
    "nearly all of the screen matches the picture",
  );
});

/** Screens on which a naive search compares billions of pixels. */
const HARD: [
  name: string,
  color: (x: number, y: number) => number,
  picture: (x: number, y: number) => number,
][] = [
  ["a plain image and spots everywhere", (x, y) => x % 99 || y % 99 ? 0xffffff : 0, () => 0xffffff],
  ["a plain image and a grid", (x, y) => x % 80 && y % 80 ? 0x20242c : 0x2b313c, () => 0x20242c],
  [
    "tiles that differ from the image in one pixel",
    (x, y) => ((x & 7) * 30) << 16 | ((y & 7) * 30) << 8 | 0x40,
    (x, y) => x === 100 && y === 50 ? 0x40 : ((x & 7) * 30) << 16 | ((y & 7) * 30) << 8 | 0x40,
  ],
  [
    "stripes and spots everywhere",
    (x, y) => x % 99 || y % 99 ? (y & 1 ? 0xffffff : 0xcccccc) : 0xff,
    (_, y) => y & 1 ? 0xffffff : 0xcccccc,
  ],
];

for (const [name, color, pattern] of HARD) {
  Deno.test(`on a large screen, ${name}: the search ends without result, within its work limit`, () => {
    const picture = screenOf(200, 100, pattern);
    assertEquals(search(screenOf(1920, 1080, color), picture, EXACT), { places: [] });
  });
}

// Limits of the images that are waited for.

Deno.test("if too many images or bytes are waited for, the oldest waits end", () => {
  const waits = new PictureWaits(3, 100),
    ended = (all: { signal: AbortSignal }[]) => all.map(({ signal }) => signal.aborted);
  const all = [waits.enter(10), waits.enter(20), waits.enter(30)];
  assertEquals(ended(all), [false, false, false]);
  all.push(waits.enter(40)); // the fourth
  assertEquals(ended(all), [true, false, false, false]);
  all.push(waits.enter(60)); // 30 + 40 + 60 bytes are too many, and 40 + 60 are not
  assertEquals(ended(all), [true, true, true, false, false]);
  all.push(waits.enter(500)); // larger than the whole limit
  assertEquals(ended(all), [true, true, true, true, true, false]);
  all[5][Symbol.dispose]();
  all[5][Symbol.dispose]();
  all[0][Symbol.dispose]();
  all.push(waits.enter(60), waits.enter(40));
  assertEquals(ended(all.slice(5)), [false, false, false]);
});
