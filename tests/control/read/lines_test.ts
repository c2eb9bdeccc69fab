/** Lines of text are found by where ink stands. */

import { assertEquals } from "@std/assert";
import type { Grey } from "../../../control/read/grey.ts";
import { linesOf } from "../../../control/read/lines.ts";

/** A picture of one grey to draw on. */
class Canvas {
  readonly grey: Grey;

  constructor(readonly width: number, readonly height: number, ground = 255) {
    this.grey = { width, height, data: new Uint8Array(width * height).fill(ground) };
  }

  area(x: number, y: number, width: number, height: number, value: number): this {
    for (let row = y; row < y + height; row++) {
      this.grey.data.fill(value, row * this.width + x, row * this.width + x + width);
    }
    return this;
  }

  /** An edge of 1 pixel. */
  frame(x: number, y: number, width: number, height: number, value: number): this {
    return this.area(x, y, width, 1, value).area(x, y + height - 1, width, 1, value)
      .area(x, y, 1, height, value).area(x + width - 1, y, 1, height, value);
  }

  /** Letters of 6x10 pixels with gaps of 3: three strokes each. */
  word(x: number, y: number, letters: number, value: number): this {
    for (let i = 0; i < letters; i++) {
      const left = x + i * 9;
      this.area(left, y, 2, 10, value).area(left + 4, y, 2, 10, value).area(left, y + 4, 6, 2, value);
    }
    return this;
  }

  /** The left, top, width and height of each line, where ink ends one pixel behind a stroke. */
  lines(): number[][] {
    return linesOf(this.grey).map(({ x, y, width, height }) => [x, y, width, height]);
  }
}

/** The place of a word's ink. */
const ink = (x: number, y: number, letters: number) => [x, y, letters * 9 - 2, 11];

Deno.test("words beside each other are one line, words far apart and below each other are several", () => {
  const canvas = new Canvas(300, 100).word(10, 10, 4, 0).word(52, 10, 3, 0).word(200, 10, 5, 0).word(
    10,
    30,
    2,
    0,
  );
  assertEquals(canvas.lines(), [[10, 10, 67, 11], ink(200, 10, 5), ink(10, 30, 2)]);
});

Deno.test("light text on a dark part and dark text on a light one are found alike", () => {
  const canvas = new Canvas(200, 80).area(0, 40, 200, 40, 30).word(20, 10, 5, 60).word(20, 55, 5, 220);
  assertEquals(canvas.lines(), [ink(20, 10, 5), ink(20, 55, 5)]);
});

Deno.test("the frame of a button, a field or a cell, and a selected row, are no part of the text in it", () => {
  const cases: [string, Canvas][] = [
    ["a button", new Canvas(200, 60).frame(10, 10, 90, 28, 120).word(30, 18, 4, 0)],
    ["a small button", new Canvas(200, 60).frame(22, 10, 31, 24, 120).word(30, 18, 2, 0)],
    ["a table", new Canvas(200, 60).frame(10, 10, 180, 20, 160).area(100, 10, 1, 20, 160).word(30, 15, 4, 0)],
    ["a row", new Canvas(200, 60).area(20, 14, 150, 18, 40).word(30, 18, 4, 255)],
    ["a separator", new Canvas(200, 60).area(0, 30, 200, 1, 100).word(30, 18, 4, 0)],
  ];
  for (const [name, canvas] of cases) {
    const [line, ...more] = canvas.lines();
    assertEquals([line?.[0], line?.[2], more.length], [30, name === "a small button" ? 16 : 34, 0], name);
    assertEquals(Math.abs(line[3] - 11) <= 1, true, name);
  }
});

Deno.test("dots and accents belong to the line whose rows they are in, and make none alone", () => {
  const canvas = new Canvas(200, 80).word(20, 20, 4, 0).area(58, 28, 2, 2, 0).word(20, 36, 4, 0)
    .area(150, 60, 2, 2, 0);
  assertEquals(canvas.lines(), [[20, 20, 41, 11], ink(20, 36, 4)]);
});

Deno.test("what is too large for letters, or has too little contrast, is no text", () => {
  assertEquals(new Canvas(300, 200).area(50, 50, 120, 100, 0).lines(), []);
  assertEquals(new Canvas(200, 60).word(20, 20, 5, 240).lines(), []);
  assertEquals(new Canvas(20, 10).lines(), []);
  assertEquals(new Canvas(1, 1).lines(), []);
});

Deno.test("a line at the edge of the picture is found", () => {
  assertEquals(new Canvas(43, 10).word(0, 0, 5, 0).lines(), [[0, 0, 43, 10]]);
});
