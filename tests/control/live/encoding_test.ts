/** Encodes pixels and decodes them with the page's own decoder: every pixel is unchanged. */

import { assert, assertEquals } from "@std/assert";
import type { JpegEncoder, LiveScreen, ScreenChange } from "../../../control/desktop/screen.ts";
import { Viewers, viewersMemory } from "../../../control/desktop/viewers.ts";
import type { Allowance } from "../../../control/desktop/viewers.ts";
import { HidingScreen } from "../../../control/live/hiding.ts";
import { applyScroll, Grid, Mirror, ScrollFinder } from "../../../control/live/mirror.ts";
import { PhotoTiles, TileWriter } from "../../../control/live/tile_writer.ts";
import { LossyTiles, PictureEncoder, Thrift } from "../../../control/live/picture_encoder.ts";
import { TileDecoder } from "../../../control/page/tiles.js";

const SIZE = { width: 150, height: 100 };
const WHOLE = { x: 0, y: 0, ...SIZE };

/** Numbers that are the same in each run (mulberry32). */
function random(seed: number): () => number {
  return () => {
    seed = seed + 0x6d2b79f5 | 0;
    let mixed = Math.imul(seed ^ seed >>> 15, 1 | seed);
    mixed = mixed + Math.imul(mixed ^ mixed >>> 7, 61 | mixed) ^ mixed;
    return ((mixed ^ mixed >>> 14) >>> 0) / 2 ** 32;
  };
}

/** A screen of words: blue, green, red and any byte. */
function screen(color: (x: number, y: number) => number): Uint8Array<ArrayBuffer> {
  const words = new Int32Array(SIZE.width * SIZE.height);
  for (let at = 0; at < words.length; at++) words[at] = color(at % SIZE.width, Math.floor(at / SIZE.width));
  return new Uint8Array(words.buffer);
}

const next = random(1);
const PALETTE = Array.from({ length: 300 }, () => Math.floor(next() * 0x1000000));
/** Pixels with different numbers of colours, in different patterns. */
const CONTENT: [what: string, color: (x: number, y: number) => number][] = [
  ["one colour", () => 0x123456],
  ["two colours", (x, y) => x * y % 3 ? 0xffffff : 0],
  ["three colours", (x, y) => [0xff0000, 0xff00, 0xff][(x + y) % 3]],
  ["four colours in runs", (x) => PALETTE[Math.floor(x / 20) % 4]],
  ["five colours", (x, y) => PALETTE[(x + 3 * y) % 5]],
  ["long runs of many colours", (_, y) => PALETTE[y]],
  ["more colours than slots", (x, y) => PALETTE[(7 * x + 13 * y) % 300]],
  ["noise", () => Math.floor(next() * 0x1000000)],
  ["an unused byte that changes", () => Math.floor(next() * 256) << 24 | 0x808080],
];

for (const [what, color] of CONTENT) {
  Deno.test(`tiles of ${what} are decoded unchanged`, () => {
    const grid = new Grid(SIZE.width, SIZE.height), mirror = new Mirror(grid);
    mirror.update(screen(color), WHOLE);
    const writer = new TileWriter(mirror.words, SIZE.width);
    writer.begin();
    const regions = Array.from({ length: grid.count }, (_, tile) => grid.region(tile));
    for (const region of regions) writer.write(region);
    const pixels = new Uint32Array(SIZE.width * SIZE.height), decoder = new TileDecoder(pixels, SIZE.width);
    decoder.begin(writer.bytes);
    for (let row = 0; row < grid.rows; row++) {
      const { y, height } = regions[row * grid.columns];
      decoder.run({ x: 0, y, width: SIZE.width, height });
    }
    const wanted = mirror.words.map((word) =>
      (0xff000000 | (word & 0xff) << 16 | word & 0xff00 | word >> 16 & 0xff) >>> 0
    );
    assertEquals([...pixels], [...new Uint32Array(wanted.buffer)]);
  });
}

Deno.test("only changed tiles inside the box are copied, and the unused byte does not count", () => {
  const mirror = new Mirror(new Grid(SIZE.width, SIZE.height));
  const pixels = screen(() => 0), words = new Int32Array(pixels.buffer);
  assertEquals(mirror.update(pixels, WHOLE), false);
  words[10] = 0xff000000 | 0;
  assertEquals(mirror.update(pixels, WHOLE), false);
  words[70 * SIZE.width + 149] = 7; // the last tile of the second row
  words[0] = 9;
  assertEquals(mirror.update(pixels, { x: 64, y: 64, width: 86, height: 36 }), true);
  assertEquals([...mirror.changed], [0, 0, 0, 0, 0, 1]);
  assertEquals(mirror.words[0], 0);
  assertEquals(mirror.update(pixels, WHOLE), true);
  assertEquals([...mirror.changed], [1, 0, 0, 0, 0, 0]);
});

Deno.test("content that moved up or down is found, and copied in the right order", () => {
  const width = 300, height = 400, numbers = random(3);
  const content = Int32Array.from({ length: width * height }, () => numbers() < 0.2 ? 0xffffff : 0);
  for (const dy of [17, -40]) {
    const after = content.slice();
    // A window in the middle of the picture, whose margin stays.
    const area = { x: 30, y: 20, width: 240, height: 300 };
    for (let row = 0; row < area.height; row++) {
      for (let column = 0; column < area.width; column++) {
        const from = row + dy < 0 || row + dy >= area.height ? -1 : area.y + row + dy;
        after[(area.y + row) * width + area.x + column] = from < 0
          ? 0x808080
          : content[from * width + area.x + column];
      }
    }
    const found = new ScrollFinder(width, height).find(content, after, area);
    assertEquals(found?.dy, dy);
    const copied = content.slice();
    applyScroll(copied, width, found!);
    const wrong = copied.reduce((sum, word, at) => sum + Number(word !== after[at]), 0);
    assert(wrong <= area.width * Math.abs(dy) + 32 * area.height, `${wrong} pixels are still to be sent`);
  }
});

Deno.test("photo-like content that changes often is sent as JPEG, and losslessly once it rests", () => {
  const grid = new Grid(256, 128), numbers = random(5), words = new Int32Array(256 * 128);
  const photoTiles = new PhotoTiles(grid, words);
  const changed = new Uint8Array(grid.count).fill(1), wanted = changed.slice();
  const play = (times: number, color: () => number) => {
    for (let i = 0; i < times; i++) {
      words.forEach((_, at) => words[at] = color());
      photoTiles.note(changed, i);
    }
  };
  play(1, () => numbers() * 0x1000000);
  assertEquals(photoTiles.choose(wanted), [], "a photograph that is shown once");
  play(5, () => numbers() < 0.1 ? 0xffffff : 0);
  assertEquals(photoTiles.choose(wanted), [], "text that scrolls");
  play(5, () => numbers() * 0x1000000);
  assertEquals(photoTiles.choose(wanted), [{ x: 0, y: 0, width: 4, height: 2 }]);
  const lossy = new LossyTiles(grid),
    restedAt = (now: number, most = Infinity) => lossy.rested((tile) => photoTiles.rests(tile, now), most);
  for (let tile = 0; tile < 8; tile++) lossy.set(tile, true);
  assertEquals([lossy.pending, restedAt(50)], [true, []]);
  assertEquals([restedAt(1000, 3), lossy.pending], [[0, 1, 2], true], "no more than are wanted");
  assertEquals([restedAt(1000), lossy.pending], [[3, 4, 5, 6, 7], false]);
  for (let tile = 0; tile < 8; tile++) photoTiles.refined(tile);
  assertEquals(photoTiles.choose(wanted), [], "what rests goes without loss");
  assertEquals(photoTiles.choose(wanted, true), [{ x: 0, y: 0, width: 4, height: 2 }], "where bytes count");
});

Deno.test("lossy tiles that moved are sent again from their new position, and nothing else is", () => {
  const grid = new Grid(256, 320), lossy = new LossyTiles(grid);
  /** The tiles that are sent again after the lossy tiles of the first row have moved. */
  const again = (copy: { y: number; height: number; dy: number }): number[] => {
    for (let tile = 0; tile < 4; tile++) lossy.set(tile, true);
    const touched: number[] = [];
    lossy.moved({ x: 0, width: 128, ...copy }, (tile) => touched.push(tile));
    const tiles = lossy.rested(() => true, Infinity);
    assertEquals([lossy.pending, touched.every((tile) => tiles.includes(tile))], [false, true]);
    return tiles;
  };
  assertEquals(again({ y: 128, height: 64, dy: -128 }), [0, 1, 2, 3, 8, 9], "it is there twice");
  assertEquals(again({ y: 100, height: 64, dy: -90 }), [0, 1, 2, 3, 4, 5, 8, 9], "over two rows of tiles");
  assertEquals(again({ y: 0, height: 192, dy: 128 }), [2, 3], "moved out of the screen");
  assertEquals(again({ y: 128, height: 64, dy: 64 }), [0, 1, 2, 3], "others moved");
});

// Regions that are hidden from the live view: before frames are compared, and again when the regions move.

const PLACE = { x: 100, y: 50, width: 8, height: 4 };
const FILL = 0x606060, RED = 0xff0000;

/** A red screen whose next look returns a box. */
class RedScreen implements LiveScreen {
  place = PLACE;
  pixels = new Uint8Array(new Int32Array(8 * 4).fill(RED).buffer);
  next: ScreenChange = {};
  update = () => this.next;
  wait() {}
  close() {}
}

/** The screen as text, one line per row: `.` is hidden, `r` is red. */
function shown(screen: HidingScreen): string[] {
  const words = new Int32Array(screen.pixels.buffer);
  return Array.from(
    { length: 4 },
    (_, row) =>
      Array.from(
        words.subarray(row * 8, row * 8 + 8),
        (word) => word === FILL ? "." : word === RED ? "r" : "?",
      ).join(""),
  );
}

Deno.test("hidden regions are filled, also when they move, and shown again once no longer hidden", () => {
  const memory = viewersMemory(true), viewers = new Viewers(memory), red = new RedScreen();
  viewers.hide([{ x: 102, y: 51, width: 2, height: 2 }]);
  const screen = new HidingScreen(red, memory);
  assertEquals(shown(screen), ["rrrrrrrr", "rr..rrrr", "rr..rrrr", "rrrrrrrr"]);
  screen.update();
  assertEquals(screen.update().box, undefined);
  // It moves; a part of it leaves the screen.
  viewers.hide([{ x: 106, y: 49, width: 9, height: 3 }]);
  assertEquals(screen.update().box, { x: 2, y: 0, width: 6, height: 3 });
  assertEquals(shown(screen), ["rrrrrr..", "rrrrrr..", "rrrrrrrr", "rrrrrrrr"]);
  // Changes below the hidden part stay hidden.
  red.next = { box: { x: 0, y: 0, width: 8, height: 4 } };
  screen.update();
  assertEquals(shown(screen)[0], "rrrrrr..");
  red.next = { isSkipped: true };
  viewers.hide([]);
  screen.update();
  assertEquals(shown(screen), ["rrrrrrrr", "rrrrrrrr", "rrrrrrrr", "rrrrrrrr"]);
});

Deno.test("a screen that is resized is hidden again", () => {
  const memory = viewersMemory(true), viewers = new Viewers(memory), red = new RedScreen();
  viewers.hide([{ x: 0, y: 0, width: 1, height: 1 }]);
  const screen = new HidingScreen(red, memory);
  red.place = { x: 0, y: 0, width: 8, height: 4 };
  screen.update();
  assertEquals(screen.place, red.place);
  assertEquals(shown(screen)[0], ".rrrrrrr");
});

Deno.test("a screen with hidden regions sleeps, and follows the pointer, like the screen itself", () => {
  const followed: boolean[] = [];
  const screen = Object.assign(new RedScreen(), {
    isWoken: true,
    followPointer: (isFollowed: boolean) => void followed.push(isFollowed),
  });
  const hiding = new HidingScreen(screen, viewersMemory(true));
  hiding.followPointer(false);
  assertEquals([hiding.isWoken, followed], [true, [false]]);
});

// Pictures within a byte budget.

/** A substitute for JPEG: one byte per 8 pixels at quality 100, fewer below. */
const jpeg: JpegEncoder = (_pixels, _stride, { width, height }, quality = 75) =>
  new Uint8Array(Math.ceil(width * height / 8 * quality / 100));

/** A picture of 16 by 8 tiles. */
function encoding(color: (at: number) => number) {
  const grid = new Grid(1024, 512), mirror = new Mirror(grid);
  mirror.words.forEach((_, at) => mirror.words[at] = color(at));
  const photoTiles = new PhotoTiles(grid, mirror.words), thrift = new Thrift();
  const encoder = new PictureEncoder(grid, mirror, photoTiles, { jpeg });
  const encode = (tiles: Uint8Array, allowance: Allowance) => encoder.encode({ tiles, allowance, thrift });
  return { grid, encode };
}

/** Pseudorandom numbers, the same each time. */
const noise = (at: number) => Math.imul(at ^ 0x5bd1e995, 0x9e3779b1) >>> 8;
const within = (picture: number): Allowance => ({ making: "within", picture, underWay: 2 * picture });

Deno.test("a photo becomes JPEG files within a byte budget, and larger ones once there is room", () => {
  const { grid, encode } = encoding(noise), all = () => new Uint8Array(grid.count).fill(1);
  const small = encode(all(), within(4000));
  assert(small.message.length < 4100, `${small.message.length} bytes`);
  assertEquals([small.lossy.length, small.exact.length], [grid.count, 0]);
  let last = small.message.length;
  for (let i = 0; i < 12; i++) last = encode(all(), within(60_000)).message.length;
  assert(last > 30_000 && last < 60_100, `${last} bytes`);
});

Deno.test("lossless tiles are sent in parts of about a byte budget, and all of them are sent", () => {
  // Text: two colours, in no order.
  const { grid, encode } = encoding((at) => noise(at) & 1 ? 0xffffff : 0);
  const left = new Uint8Array(grid.count).fill(1);
  let pictures = 0;
  while (left.includes(1)) {
    const tiles = left.slice(), { message, exact, lossy } = encode(tiles, within(3000));
    assertEquals(lossy, []);
    assert(exact.length > 0 && message.length < 8000, `${message.length} bytes`);
    for (const tile of exact) {
      assertEquals([left[tile], tiles[tile]], [1, 1]);
      left[tile] = 0;
    }
    pictures++;
  }
  assert(pictures > 3, `${pictures} pictures`);
});

Deno.test("a tile that changes next to a video is sent in the same picture", () => {
  const plain = 117, { grid, encode } = encoding((at) => at >= 448 * 1024 ? 0 : noise(at));
  const tiles = new Uint8Array(grid.count).fill(1, 0, 40);
  tiles[plain] = 1;
  const { exact, lossy } = encode(tiles, within(2500));
  assertEquals([exact, lossy.length], [[plain], 48]); // whole rows of a rectangle
});

Deno.test("sharp uses no JPEG, and balanced none for what is shown once", () => {
  const { grid, encode } = encoding(noise);
  for (const making of ["sharp", "balanced"] as const) {
    const { lossy, exact } = encode(new Uint8Array(grid.count).fill(1), { making, picture: 0, underWay: 0 });
    assertEquals([lossy.length, exact.length], [0, grid.count], making);
  }
});
