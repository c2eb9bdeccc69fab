/** The pointer's picture in a frame, also where it stands over an edge. */

import { assertEquals } from "@std/assert";
import { type Cursor, drawCursor } from "../../../ffi/x11/capture.ts";

const [WIDTH, HEIGHT, STRIDE] = [4, 3, 20];

/** A pointer of 2x2 pixels, one colour each: opaque 1 to 3, and a 4th that is half transparent. */
function cursor(x: number, y: number): Cursor {
  const argb = new Uint8Array(4 * 8);
  for (let i = 0; i < 4; i++) argb.set([i + 1, i + 1, i + 1, i === 3 ? 127 : 255], i * 8);
  return { x, y, hot: { x: 0, y: 0 }, width: 2, height: 2, argb };
}

/** The pixels of a frame of 100s, row by row, with the pointer drawn in; the frame is at 10,20 of the desktop. */
function drawn(x: number, y: number): number[][] {
  const pixels = new Uint8Array(STRIDE * HEIGHT).fill(100);
  drawCursor(cursor(10 + x, 20 + y), { width: WIDTH, height: HEIGHT, stride: STRIDE, pixels }, {
    x: 10,
    y: 20,
  });
  return Array.from({ length: HEIGHT }, (_, row) => {
    const line = pixels.subarray(row * STRIDE, (row + 1) * STRIDE);
    assertEquals(line.subarray(WIDTH * 4).every((byte) => byte === 100), true, "beyond the row's end");
    return Array.from({ length: WIDTH }, (_, column) => {
      const [blue, green, red] = line.subarray(column * 4);
      assertEquals([green, red], [blue, blue]);
      return blue;
    });
  });
}

const SEEN_THROUGH = 4 + Math.round(100 * 128 / 255);
const BARE = [100, 100, 100, 100];
const CASES: [x: number, y: number, rows: number[][]][] = [
  [1, 1, [BARE, [100, 1, 2, 100], [100, 3, SEEN_THROUGH, 100]]],
  [-1, -1, [[SEEN_THROUGH, 100, 100, 100], BARE, BARE]],
  [3, 2, [BARE, BARE, [100, 100, 100, 1]]],
  [3, -1, [[100, 100, 100, 3], BARE, BARE]],
  [-1, 2, [BARE, BARE, [2, 100, 100, 100]]],
  [-2, 0, [BARE, BARE, BARE]],
  [4, 0, [BARE, BARE, BARE]],
  [0, 3, [BARE, BARE, BARE]],
  [0, -2, [BARE, BARE, BARE]],
];

for (const [x, y, rows] of CASES) {
  Deno.test(`the pointer at ${x},${y} of a frame is drawn as far as it is in it`, () => {
    assertEquals(drawn(x, y), rows);
  });
}
