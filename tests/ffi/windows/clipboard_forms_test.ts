/** Content of the clipboard of Windows: bitmaps without their file's header, and texts with a zero at the end. */

import { assertEquals, assertThrows } from "@std/assert";
import { readBmp } from "../../../control/image/read_bmp.ts";
import { InputError } from "../../../core/errors.ts";
import { bmpOfDib, decodeText, dibOfBmp, encodeText } from "../../../ffi/windows/clipboard.ts";

const RED = 0xff0000, BLUE = 0x0000ff;

/** Little-endian words of 4 bytes, and bytes behind them. */
const dib = (words: number[], bytes: number[] = []) =>
  new Uint8Array([...new Uint8Array(Uint32Array.from(words).buffer), ...bytes]);
/** A BITMAPINFOHEADER of a picture of 2x1. */
const info = (
  depth: number,
  compression = 0,
  colors = 0,
) => [40, 2, 1, 1 | depth << 16, compression, 0, 0, 0, colors, 0];

const BITMAPS: [name: string, dib: Uint8Array<ArrayBuffer>][] = [
  ["24 bits", dib(info(24), [0, 0, 255, 255, 0, 0, 0, 0])],
  ["32 bits", dib([...info(32), RED, BLUE])],
  ["32 bits with masks", dib([...info(32, 3), 0xff, 0xff00, 0xff0000, 0x0000ff, 0xff0000])],
  ["32 bits with masks and alpha", dib([...info(32, 6), 0xff, 0xff00, 0xff0000, 0, 0x0000ff, 0xff0000])],
  ["16 bits", dib(info(16), [0x00, 0x7c, 0x1f, 0x00])],
  ["1 bit", dib([...info(1), BLUE, RED], [0b10000000, 0, 0, 0])],
  ["8 bits, of 3 colours", dib([...info(8, 0, 3), 0, BLUE, RED], [2, 1, 0, 0])],
  ["24 bits with a palette for old screens", dib([...info(24, 0, 1), 0], [0, 0, 255, 255, 0, 0, 0, 0])],
  [
    "1 bit, BITMAPCOREHEADER",
    dib([12, 2 | 1 << 16, 1 | 1 << 16], [255, 0, 0, 0, 0, 255, 0b10000000, 0, 0, 0, ...new Uint8Array(20)]),
  ],
  [
    "32 bits, BITMAPV4HEADER",
    dib([
      108,
      2,
      1,
      1 | 32 << 16,
      3,
      0,
      0,
      0,
      0,
      0,
      0xff,
      0xff00,
      0xff0000,
      ...new Array(14).fill(0),
      0x0000ff,
      0xff0000,
    ]),
  ],
];
for (const [name, bytes] of BITMAPS) {
  Deno.test(`a bitmap of ${name} becomes a BMP file with the same pixels, and back`, () => {
    const file = bmpOfDib(bytes)!;
    assertEquals([...readBmp(file).pixels], [RED, BLUE]);
    assertEquals(dibOfBmp(file), bytes);
  });
}

Deno.test("bytes that are no bitmap give none", () => {
  assertEquals(bmpOfDib(new Uint8Array(39)), undefined);
  assertEquals(bmpOfDib(dib([20, ...new Array(12).fill(0)])), undefined);
});

Deno.test("a text ends with a zero, and what is behind it is not read", () => {
  assertEquals([...encodeText("a€")], [0x61, 0, 0xac, 0x20, 0, 0]);
  for (const text of ["", "a€漢😀", "\ufeffa"]) {
    assertEquals(decodeText(new Uint8Array(encodeText(text))), text);
  }
  assertEquals(decodeText(Uint8Array.of(0x61, 0, 0, 0, 0x62, 0)), "a");
  assertEquals(decodeText(Uint8Array.of(0x61, 0, 0x62)), "a");
  assertThrows(() => encodeText("ab\0c"), InputError, "text has U+0000 at 2, where Windows would end it");
});
