import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { readBmp } from "../../../control/image/read_picture.ts";
import { InputError } from "../../../core/errors.ts";
import { bitmapHeader, decodeMonitorInfo } from "../../../ffi/windows/screen.ts";
import {
  bmpOfDib,
  decodeText,
  dibOfBmp,
  encodeText,
  WindowsClipboard,
} from "../../../ffi/windows/clipboard.ts";
import type { Libraries } from "../../../ffi/windows/symbols.ts";
import { decodeMandatoryLabel, levelWords } from "../../../ffi/windows/session.ts";
import { outerFor, restoredBounds } from "../../../ffi/windows/windows.ts";

Deno.test("a BITMAPINFOHEADER requests 32-bit rows from the top down", () => {
  const words = Array.from(new Int32Array(bitmapHeader(1280, 720).buffer));
  assertEquals(words, [40, 1280, -720, 1 | 32 << 16, 0, 0, 0, 0, 0, 0]);
});

Deno.test("decodes a MONITORINFOEXW to a display", () => {
  const info = new Uint8Array(104);
  const view = new DataView(info.buffer);
  [104, -1920, -200, 0, 880, -1920, -200, 0, 840, 1].forEach((word, i) => view.setInt32(i * 4, word, true));
  Array.from("\\\\.\\DISPLAY2\0junk").forEach((unit, i) =>
    view.setUint16(40 + i * 2, unit.charCodeAt(0), true)
  );
  const display = { name: "DISPLAY2", x: -1920, y: -200, width: 1920, height: 1080 };
  assertEquals(decodeMonitorInfo(info), { ...display, primary: true });
  view.setUint32(36, 0, true);
  assertEquals(decodeMonitorInfo(info), { ...display, primary: false });
});

Deno.test("an integrity level is the last part of its SID", () => {
  // SID_AND_ATTRIBUTES (16 bytes), then S-1-16-8192
  const label = new DataView(new ArrayBuffer(64));
  [1, 1, 0, 0, 0, 0, 0, 16].forEach((byte, i) => label.setUint8(16 + i, byte));
  label.setUint32(24, 0x2000, true);
  assertEquals(decodeMandatoryLabel(label), 0x2000);
  const words: [level: number, start: string][] = [
    [0x4000, "system"],
    [0x3000, "high"],
    [0x2100, "medium"],
    [0x2000, "medium"],
    [0x1000, "low"],
    [0, "untrusted"],
  ];
  for (const [level, start] of words) assertEquals(levelWords(level).split(":")[0], start);
});

Deno.test("converts a WINDOWPLACEMENT to screen pixels, wherever the taskbar is", () => {
  const words = (size: number, values: Record<number, number>) => {
    const view = new DataView(new ArrayBuffer(size));
    for (const [at, value] of Object.entries(values)) view.setInt32(Number(at), value, true);
    return view;
  };
  const placement = words(44, { 28: -10, 32: 20, 36: 310, 40: 220 });
  const size = { width: 320, height: 200 };
  assertEquals(restoredBounds(placement, undefined), { x: -10, y: 20, ...size });
  // rcMonitor at 4, rcWork at 20: taskbars of 48 pixels at the left of the second monitor, and 30 at its top
  const monitor = words(40, { 4: 1920, 8: 0, 12: 3840, 16: 1080, 20: 1968, 24: 30, 28: 3840, 32: 1080 });
  assertEquals(restoredBounds(placement, monitor), { x: 38, y: 50, ...size });
});

Deno.test("sets visible bounds by adding the invisible border", () => {
  const visible = { x: 107, y: 50, width: 300, height: 200 };
  const outer = { x: 100, y: 50, width: 314, height: 207 };
  assertEquals(outerFor(visible, outer, visible), outer);
  assertEquals(outerFor({ x: 0, y: 0, width: 640, height: 480 }, outer, visible), {
    x: -7,
    y: 0,
    width: 654,
    height: 487,
  });
});

// Windows clipboard contents: bitmaps without a file header, and zero-terminated text.

const RED = 0xff0000, BLUE = 0x0000ff;

/** Little-endian 4-byte words, followed by bytes. */
const dib = (words: number[], bytes: number[] = []) =>
  new Uint8Array([...new Uint8Array(Uint32Array.from(words).buffer), ...bytes]);
/** A BITMAPINFOHEADER for a picture of 2x1. */
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
  Deno.test(`converts a bitmap of ${name} to a BMP file with the same pixels, and back`, () => {
    const file = bmpOfDib(bytes)!;
    assertEquals([...readBmp(file).pixels], [RED, BLUE]);
    assertEquals(dibOfBmp(file), bytes);
  });
}

Deno.test("memory that cannot be written is freed", async () => {
  const freed: bigint[] = [];
  const kernel32 = {
    GlobalAlloc: () => 5n,
    GlobalLock: () => null,
    GlobalFree: (one: bigint) => freed.push(one),
  };
  const clipboard = new WindowsClipboard({ kernel32, user32: {} } as unknown as Libraries);
  await assertRejects(() => clipboard.write({ text: "x" }), RangeError);
  assertEquals(freed, [5n]);
});

Deno.test("bytes that are not a bitmap yield none", () => {
  assertEquals(bmpOfDib(new Uint8Array(39)), undefined);
  assertEquals(bmpOfDib(dib([20, ...new Array(12).fill(0)])), undefined);
});

Deno.test("text ends with a zero, and anything after it is ignored", () => {
  assertEquals([...encodeText("a€")], [0x61, 0, 0xac, 0x20, 0, 0]);
  for (const text of ["", "a€漢😀", "\ufeffa"]) {
    assertEquals(decodeText(new Uint8Array(encodeText(text))), text);
  }
  assertEquals(decodeText(Uint8Array.of(0x61, 0, 0, 0, 0x62, 0)), "a");
  assertEquals(decodeText(Uint8Array.of(0x61, 0, 0x62)), "a");
  assertThrows(
    () => encodeText("ab\0c"),
    InputError,
    "text contains U+0000 (at index 2), which Windows does not support",
  );
});
