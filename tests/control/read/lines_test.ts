/** Text lines are found by where ink is. */

import { assertEquals } from "@std/assert";
import type { Grey, Word } from "../../../control/read/grey.ts";
import { linesOf } from "../../../control/read/lines.ts";
import { parted } from "../../../control/read/pages.ts";
import { agreement, areAlike, folded, placesOf } from "../../../control/read/spans.ts";

/** A grey picture to draw on. */
class Canvas {
  readonly grey: Grey;

  constructor(readonly width: number, readonly height: number) {
    this.grey = { width, height, data: new Uint8Array(width * height).fill(255) };
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

  /** Each line's left, top, width and height; its ink ends one pixel after a stroke. */
  lines(): number[][] {
    return linesOf(this.grey).map(({ x, y, width, height }) => [x, y, width, height]);
  }
}

/** The position of a word's ink. */
const ink = (x: number, y: number, letters: number) => [x, y, letters * 9 - 2, 11];

Deno.test("adjacent words are one line, words far apart or one below the other are several", () => {
  const canvas = new Canvas(300, 100).word(10, 10, 4, 0).word(52, 10, 3, 0).word(200, 10, 5, 0).word(
    10,
    30,
    2,
    0,
  );
  assertEquals(canvas.lines(), [[10, 10, 67, 11], ink(200, 10, 5), ink(10, 30, 2)]);
});

Deno.test("light text on dark and dark text on light are found alike", () => {
  const canvas = new Canvas(200, 80).area(0, 40, 200, 40, 30).word(20, 10, 5, 60).word(20, 55, 5, 220);
  assertEquals(canvas.lines(), [ink(20, 10, 5), ink(20, 55, 5)]);
});

Deno.test("the frame of a button, field or cell, and a selected row, are not part of the text in it", () => {
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

Deno.test("dots and accents belong to the line whose rows they are in, and form none alone", () => {
  const canvas = new Canvas(200, 80).word(20, 20, 4, 0).area(58, 28, 2, 2, 0).word(20, 36, 4, 0)
    .area(150, 60, 2, 2, 0);
  assertEquals(canvas.lines(), [[20, 20, 41, 11], ink(20, 36, 4)]);
});

Deno.test("shapes too large for letters, or with too little contrast, are not text", () => {
  assertEquals(new Canvas(300, 200).area(50, 50, 120, 100, 0).lines(), []);
  assertEquals(new Canvas(200, 60).word(20, 20, 5, 240).lines(), []);
  assertEquals(new Canvas(20, 10).lines(), []);
  assertEquals(new Canvas(1, 1).lines(), []);
});

Deno.test("a line at the edge of the picture is found", () => {
  assertEquals(new Canvas(43, 10).word(0, 0, 5, 0).lines(), [[0, 0, 43, 10]]);
});

// Words that were read as one are split at gaps like spaces.

/** A line 20 high with a bar for each letter: its width, and the gap after it. */
function line(...bars: [width: number, gap: number][]): Grey {
  const width = bars.reduce((sum, [bar, gap]) => sum + bar + gap, 0),
    data = new Uint8Array(width * 20).fill(255);
  let x = 0;
  for (const [bar, gap] of bars) {
    for (let row = 2; row < 18; row++) data.fill(0, row * width + x, row * width + x + bar);
    x += bar + gap;
  }
  return { width, height: 20, data };
}

const word = (text: string, x: number, width: number): Word => ({ text, x, y: 0, width, height: 20 });
const L: [number, number] = [9, 2];

Deno.test("a gap like a space splits a word where its letters are", () => {
  const bars: [number, number][] = [L, L, L, [9, 6], L, [9, 0]]; // Zoom in
  assertEquals(parted([word("Zoomin", 0, 68)], line(...bars)).map(({ text, x, width }) => [text, x, width]), [
    ["Zoom", 0, 42],
    ["in", 48, 20],
  ]);
});

Deno.test("gaps between letters split nothing, nor do those of a line whose spaces are wider", () => {
  const even = line(L, L, L, L, [9, 0]);
  assertEquals(parted([word("words", 0, 53)], even).length, 1);
  const wide = line([3, 6], [3, 6], [3, 14], [9, 6], [9, 0]); // letters far apart, as in a terminal
  assertEquals(parted([word("ill", 0, 21), word("at", 35, 24)], wide).length, 2);
  assertEquals(parted([], even), []);
  assertEquals(parted([word("m", 0, 53)], line(L, L, [9, 8], [9, 0])).length, 1);
});

Deno.test("two gaps split a word into three", () => {
  const bars: [number, number][] = [L, [9, 6], L, [9, 6], L, L, [9, 0]];
  assertEquals(parted([word("abcdefg", 0, 83)], line(...bars)).map(({ text }) => text), ["ab", "cd", "efg"]);
});

// Positions of a text in lines that were read.

/** A line's words: 8 pixels per letter and 12 high, with the gaps between them. */
function spanLine(y: number, ...parts: (string | number)[]): Word[] {
  const words: Word[] = [];
  let x = 10;
  for (const part of parts) {
    if (typeof part === "number") {
      x += part;
      continue;
    }
    words.push({ text: part, x, y, width: 8 * part.length, height: 12 });
    x += 8 * part.length + 4;
  }
  return words;
}

const wanted = (text: string, match = 0.9, keepsCase = false) => ({ text, match, keepsCase });

Deno.test("a text is found as a word, as several, and with spaces in other places", () => {
  const lines = [spanLine(0, "File", 8, "Edit"), spanLine(20, "Enable", "hardware", "accel", "eration")];
  const cases: [text: string, found: string | undefined, x?: number, width?: number][] = [
    ["edit", "Edit", 54, 32],
    ["enable hardware", "Enable hardware", 10, 116],
    ["acceleration", "accel eration", 130, 100],
    ["hard", undefined],
    ["Edlt", "Edit", 54, 32],
    ["Exit", undefined],
  ];
  for (const [text, found, x, width] of cases) {
    const [place] = placesOf(lines, wanted(text)).found;
    assertEquals([place?.text, place?.x, place?.width], [found, x, width], text);
  }
});

Deno.test("the better match comes first, then one that stands alone, then reading order", () => {
  const lines = [
    spanLine(0, "Please", "save", "it"),
    spanLine(20, "Save", "as"),
    spanLine(40, "Xave"),
    spanLine(60, "Cancel", 12, "Save"),
    spanLine(58, 200, "Save"),
  ];
  const { found } = placesOf(lines, wanted("Save", 0.8));
  assertEquals(
    found.map(({ x, y }) => [x, y]),
    [[74, 60], [210, 58], [62, 0], [10, 20]],
  );
  assertEquals(areAlike(found[0], found[1]), true);
  assertEquals(areAlike(found[1], found[2]), false);
});

Deno.test("if nothing matches well enough the nearest three are reported", () => {
  const lines = [
    spanLine(0, "Safe"),
    spanLine(20, "Saved"),
    spanLine(40, "Cane"),
    spanLine(60, "Sav"),
    spanLine(80, "zzzz"),
  ];
  const { found, nearest } = placesOf(lines, wanted("Save"));
  assertEquals(found, []);
  assertEquals(nearest.map(({ text, match }) => [text, match]), [["Saved", 0.8], ["Safe", 0.75], [
    "Sav",
    0.75,
  ]]);
});

Deno.test("no match overlaps a better one, and case counts if requested", () => {
  const lines = [spanLine(0, "no", "no", "no")];
  assertEquals(placesOf(lines, wanted("no no")).found.length, 1);
  const cases = [spanLine(0, "save"), spanLine(20, "Save")];
  assertEquals(placesOf(cases, wanted("Save", 0.9, true)).found.map(({ y }) => y), [20]);
});

Deno.test("in scripts without spaces characters are found within a word", () => {
  const [place] =
    placesOf([[{ text: "打开文件夹", x: 0, y: 0, width: 100, height: 20 }]], wanted("文件")).found;
  assertEquals([place.text, place.x, place.width], ["文件", 40, 40]);
});

// Comparison of the text that was read with the wanted text.

Deno.test("texts are compared without case, spaces, width and diacritics", () => {
  const cases: [text: string, folded: string][] = [
    ["Save As…", "saveas..."],
    ["Größe ändern", "grosseandern"],
    ["ＦＵＬＬ", "full"],
    ["naïve  café", "naivecafe"],
    ["保存", "保存"],
    ["  ", ""],
  ];
  for (const [text, expected] of cases) assertEquals(folded(text), expected, text);
  assertEquals(folded("Größe ändern", true), "Größeändern");
});

Deno.test("similar letters cost little, others a whole one, marks and swaps less", () => {
  const cases: [wanted: string, read: string, match: number][] = [
    ["save", "save", 1],
    ["save", "saved", 0.8],
    ["save", "safe", 0.75],
    ["illinois", "lllinois", 0.9625],
    ["100", "l0O".toLowerCase(), 0.8],
    ["ok", "0k", 0.85],
    ["name", "name:", 0.94],
    ["name:", "name", 0.94],
    ["form", "from", 0.85],
    ["файл", "файл", 1],
    ["cop", "сор", 0.7], // Cyrillic letters of the same shapes
    ["a", "b", 0],
    ["", "a", 0],
    ["", "", 0],
  ];
  for (const [wanted, read, match] of cases) {
    assertEquals(agreement(wanted, read), match, `${wanted} ${read}`);
  }
});

Deno.test("a match below the minimum is none", () => {
  assertEquals(agreement("save", "saved", 0.8), 0.8);
  assertEquals(agreement("save", "saved", 0.81), 0);
  assertEquals(agreement("preferences", "prefs", 0.9), 0);
  for (
    const [wanted, read] of [["save", "save..."], ["(save", "save"], ["save", "save.......as"], ["…", "save"]]
  ) {
    const match = agreement(wanted, read);
    for (const least of [0.3, 0.5, 0.9]) {
      assertEquals(agreement(wanted, read, least), match < least ? 0 : match, `${wanted} ${read} ${least}`);
    }
  }
});

Deno.test("if case counts, an uppercase letter differs from its lowercase form", () => {
  assertEquals(agreement(folded("Save", true), folded("save", true)), 0.75);
  assertEquals(agreement(folded("Save", true), folded("Save", true)), 1);
});
