/** Pictures that are copies of frames. */

import { assertEquals } from "@std/assert";
import { copiedPicture } from "../../ffi/copied_picture.ts";

/** A picture of one row in one colour, and its memory. */
function pictureOf(width: number, value: number) {
  const pixels = new Uint8Array(width * 4).fill(value);
  const picture = copiedPicture({ width, height: 1, stride: width * 4, pixels });
  pixels.fill(0);
  const [frame] = picture.parts;
  return { picture, memory: frame.pixels, values: () => [...new Set(frame.pixels)] };
}

Deno.test("a copied picture stays as it is until it is released, then the next one of its size has its memory", () => {
  const first = pictureOf(3, 7), second = pictureOf(3, 8);
  assertEquals([first.values(), second.values()], [[7], [8]]);
  first.picture.release();
  const third = pictureOf(3, 9);
  assertEquals([third.memory === first.memory, second.values(), third.values()], [true, [8], [9]]);
  second.picture.release();
  const larger = pictureOf(5, 6);
  assertEquals([larger.memory.length, larger.values()], [20, [6]]);
  third.picture.release();
  assertEquals(pictureOf(5, 4).memory.length, 20);
});
