/** Words that were read as one are parted at gaps like spaces. */

import { assertEquals } from "@std/assert";
import { parted } from "../../../control/read/pages.ts";
import type { Grey, Word } from "../../../control/read/grey.ts";

/** A line 20 high with a bar for each letter: its width, and the gap behind it. */
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

Deno.test("a gap like a space parts a word where its letters are", () => {
  const bars: [number, number][] = [L, L, L, [9, 6], L, [9, 0]]; // Zoom in
  assertEquals(parted([word("Zoomin", 0, 68)], line(...bars)).map(({ text, x, width }) => [text, x, width]), [
    ["Zoom", 0, 42],
    ["in", 48, 20],
  ]);
});

Deno.test("gaps between letters part nothing, nor do those of a line whose spaces are wider", () => {
  const even = line(L, L, L, L, [9, 0]);
  assertEquals(parted([word("words", 0, 53)], even).length, 1);
  const wide = line([3, 6], [3, 6], [3, 14], [9, 6], [9, 0]); // letters far apart, as in a terminal
  assertEquals(parted([word("ill", 0, 21), word("at", 35, 24)], wide).length, 2);
  assertEquals(parted([], even), []);
  assertEquals(parted([word("m", 0, 53)], line(L, L, [9, 8], [9, 0])).length, 1);
});

Deno.test("two gaps part a word into three", () => {
  const bars: [number, number][] = [L, [9, 6], L, [9, 6], L, L, [9, 0]];
  assertEquals(parted([word("abcdefg", 0, 83)], line(...bars)).map(({ text }) => text), ["ab", "cd", "efg"]);
});
