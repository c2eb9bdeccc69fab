/** Places of a text in lines that were read. */

import { assertEquals } from "@std/assert";
import type { Word } from "../../../control/read/grey.ts";
import { areAlike, placesOf } from "../../../control/read/spans.ts";

/** Words of a line: 8 pixels a letter and 12 high, with the gaps that stand between them. */
function line(y: number, ...parts: (string | number)[]): Word[] {
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

Deno.test("a text is found as a word, as several, and as those that spaces split otherwise", () => {
  const lines = [line(0, "File", 8, "Edit"), line(20, "Enable", "hardware", "accel", "eration")];
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

Deno.test("the better match is the first, then what stands by itself, then the first in reading order", () => {
  const lines = [
    line(0, "Please", "save", "it"),
    line(20, "Save", "as"),
    line(40, "Xave"),
    line(60, "Cancel", 12, "Save"),
    line(58, 200, "Save"),
  ];
  const { found } = placesOf(lines, wanted("Save", 0.8));
  assertEquals(
    found.map(({ x, y }) => [x, y]),
    [[74, 60], [210, 58], [62, 0], [10, 20]],
  );
  assertEquals(areAlike(found[0], found[1]), true);
  assertEquals(areAlike(found[1], found[2]), false);
});

Deno.test("where nothing agrees enough the nearest three are told", () => {
  const lines = [line(0, "Safe"), line(20, "Saved"), line(40, "Cane"), line(60, "Sav"), line(80, "zzzz")];
  const { found, nearest } = placesOf(lines, wanted("Save"));
  assertEquals(found, []);
  assertEquals(nearest.map(({ text, match }) => [text, match]), [["Saved", 0.8], ["Safe", 0.75], [
    "Sav",
    0.75,
  ]]);
});

Deno.test("none overlaps a better one, and case counts where that is asked for", () => {
  const lines = [line(0, "no", "no", "no")];
  assertEquals(placesOf(lines, wanted("no no")).found.length, 1);
  const cases = [line(0, "save"), line(20, "Save")];
  assertEquals(placesOf(cases, wanted("Save", 0.9, true)).found.map(({ y }) => y), [20]);
});

Deno.test("in scripts without spaces characters are found within a word", () => {
  const [place] =
    placesOf([[{ text: "打开文件夹", x: 0, y: 0, width: 100, height: 20 }]], wanted("文件")).found;
  assertEquals([place.text, place.x, place.width], ["文件", 40, 40]);
});
