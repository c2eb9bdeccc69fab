/** Pictures within bytes. */

import { assert, assertEquals } from "@std/assert";
import { Grid, Mirror } from "../../../control/live/mirror.ts";
import type { Allowance } from "../../../control/live/link.ts";
import { PhotoTiles } from "../../../control/live/photo_tiles.ts";
import { PictureEncoder, Thrift } from "../../../control/live/picture_encoder.ts";
import type { JpegEncoder } from "../../../control/desktop/screen.ts";

/** A substitute for JPEG: a byte for each 8 pixels at quality 100, fewer at less. */
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

/** Numbers that look random, the same each time. */
const noise = (at: number) => Math.imul(at ^ 0x5bd1e995, 0x9e3779b1) >>> 8;
const within = (picture: number): Allowance => ({ making: "within", picture, underWay: 2 * picture });

Deno.test("a photograph becomes JPEG files of so many bytes, and of more once there is room", () => {
  const { grid, encode } = encoding(noise), all = () => new Uint8Array(grid.count).fill(1);
  const small = encode(all(), within(4000));
  assert(small.message.length < 4100, `${small.message.length} bytes`);
  assertEquals([small.lossy.length, small.exact.length], [grid.count, 0]);
  let last = small.message.length;
  for (let i = 0; i < 12; i++) last = encode(all(), within(60_000)).message.length;
  assert(last > 30_000 && last < 60_100, `${last} bytes`);
});

Deno.test("tiles without loss go in parts of about so many bytes, and each of them goes", () => {
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

Deno.test("a tile that changes beside a video is sent in the same picture", () => {
  const plain = 117, { grid, encode } = encoding((at) => at >= 448 * 1024 ? 0 : noise(at));
  const tiles = new Uint8Array(grid.count).fill(1, 0, 40);
  tiles[plain] = 1;
  const { exact, lossy } = encode(tiles, within(2500));
  assertEquals([exact, lossy.length], [[plain], 48]); // whole rows of a rectangle
});

Deno.test("sharp has no JPEG, and balanced none of what is shown once", () => {
  const { grid, encode } = encoding(noise);
  for (const making of ["sharp", "balanced"] as const) {
    const { lossy, exact } = encode(new Uint8Array(grid.count).fill(1), { making, picture: 0, underWay: 0 });
    assertEquals([lossy.length, exact.length], [0, grid.count], making);
  }
});
