import { assertEquals } from "@std/assert";
import {
  absoluteUnit,
  encodeInputs,
  INPUT_BYTES,
  moveTo,
  packUnit,
  pressButton,
  pressKey,
  turnWheel,
} from "../../../ffi/windows/input.ts";

/** The pixel that Windows takes a unit for. */
const pixelOf = (unit: number, origin: number, length: number) => origin + Math.floor(unit * length / 65536);

Deno.test("every pixel of every usual screen has a unit that falls in it", () => {
  for (
    const length of [1, 2, 480, 600, 720, 768, 1080, 1280, 1366, 1440, 1920, 2560, 3440, 3840, 5760, 7680]
  ) {
    for (const origin of [0, -1920, 37]) {
      for (let pixel = origin; pixel < origin + length; pixel++) {
        const unit = absoluteUnit(pixel, origin, length);
        assertEquals(pixelOf(unit, origin, length), pixel, `${pixel} of ${length} from ${origin}`);
        assertEquals(unit >= 0 && unit <= 65535, true);
      }
    }
  }
});

const words = (bytes: Uint8Array) => Array.from(new Int32Array(bytes.slice().buffer));

Deno.test("a mouse INPUT has its fields where Windows reads them", () => {
  // type, padding, dx, dy, mouseData, dwFlags, time, padding, dwExtraInfo
  const desk = 0x6465736b;
  const screen = { x: -1280, y: 0, width: 2560, height: 720 };
  const cases = [
    { input: moveTo({ x: -1280, y: 0 }, screen), expected: [0, 0, 0, 0, 0, 0xc001, 0, 0, desk, 0] },
    { input: moveTo({ x: 0, y: 360 }, screen), expected: [0, 0, 32768, 32768, 0, 0xc001, 0, 0, desk, 0] },
    { input: pressButton("left", true), expected: [0, 0, 0, 0, 0, 0x2, 0, 0, desk, 0] },
    { input: pressButton("left", false), expected: [0, 0, 0, 0, 0, 0x4, 0, 0, desk, 0] },
    { input: pressButton("right", true), expected: [0, 0, 0, 0, 0, 0x8, 0, 0, desk, 0] },
    { input: pressButton("middle", false), expected: [0, 0, 0, 0, 0, 0x40, 0, 0, desk, 0] },
    { input: pressButton("back", true), expected: [0, 0, 0, 0, 1, 0x80, 0, 0, desk, 0] },
    { input: pressButton("forward", false), expected: [0, 0, 0, 0, 2, 0x100, 0, 0, desk, 0] },
    { input: turnWheel("up"), expected: [0, 0, 0, 0, 120, 0x800, 0, 0, desk, 0] },
    { input: turnWheel("down"), expected: [0, 0, 0, 0, -120, 0x800, 0, 0, desk, 0] },
    { input: turnWheel("right"), expected: [0, 0, 0, 0, 120, 0x1000, 0, 0, desk, 0] },
    { input: turnWheel("left"), expected: [0, 0, 0, 0, -120, 0x1000, 0, 0, desk, 0] },
  ];
  for (const { input, expected } of cases) assertEquals(words(encodeInputs([input])), expected);
});

Deno.test("a keyboard INPUT has its fields where Windows reads them", () => {
  // type, padding, wVk and wScan, dwFlags, time, padding, dwExtraInfo, rest of the union
  const desk = 0x6465736b;
  const cases = [
    { input: pressKey(0x41, 0x1e, false, true), expected: [1, 0, 0x1e0041, 0, 0, 0, desk, 0, 0, 0] },
    { input: pressKey(0xa3, 0x1d, true, false), expected: [1, 0, 0x1d00a3, 3, 0, 0, desk, 0, 0, 0] },
    { input: packUnit(0x6f22, true), expected: [1, 0, 0x6f220000, 4, 0, 0, desk, 0, 0, 0] },
    { input: packUnit(0x00e9, false), expected: [1, 0, 0x00e90000, 6, 0, 0, desk, 0, 0, 0] },
  ];
  for (const { input, expected } of cases) assertEquals(words(encodeInputs([input])), expected);
});

Deno.test("several inputs stand 40 bytes apart", () => {
  const inputs = [pressButton("left", true), packUnit(0x41, true), pressButton("left", false)];
  const bytes = encodeInputs(inputs);
  assertEquals(bytes.length, 3 * INPUT_BYTES);
  inputs.forEach((input, i) => {
    assertEquals(bytes.slice(i * 40, i * 40 + 40), encodeInputs([input]));
  });
});
