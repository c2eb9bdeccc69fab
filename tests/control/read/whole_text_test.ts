/** Text that is read and texts of elements become one text, without doubles. */

import { assertEquals } from "@std/assert";
import { elementSpans, type ElementText, merged } from "../../../control/read/find.ts";
import type { ReadLine } from "../../../control/read/reading.ts";

function line(y: number, ...words: [text: string, x: number][]): ReadLine {
  const placed = words.map(([text, x]) => ({ text, x, y, width: 8 * text.length, height: 12 }));
  return { x: 0, y, width: 300, height: 12, words: placed };
}

const element = (text: string, x: number, y: number, width: number, height: number): ElementText => ({
  text,
  ref: "e1",
  role: "button",
  x,
  y,
  width,
  height,
});

Deno.test("an element's text takes the place of what was read of it", () => {
  const [other] = merged([line(0, ["5ave", 10], ["Cance1", 80])], [element("Save", 4, -4, 60, 20)]);
  assertEquals([other.text, other.source], ["5ave Cance1", "screen"]); // what was read is not in the element's text
  const good = merged([line(0, ["Save", 10], ["as..", 48], ["Cancel", 130])], [
    element("Save as…", 4, -4, 90, 20),
  ]);
  assertEquals(good.map(({ text, source }) => [text, source]), [["Cancel", "screen"], [
    "Save as…",
    "element",
  ]]);
});

Deno.test("an element of which nothing was read is added, and an element around others is not", () => {
  const icon = element("Close", 200, 0, 20, 20),
    row = element("Open", 0, 0, 300, 14),
    button = element("Open", 8, 0, 40, 14);
  const texts = merged([line(0, ["Open", 10])], [icon, row, button]);
  assertEquals(texts.map(({ text, x }) => [text, x]), [["Open", 8], ["Close", 200]]);
});

Deno.test("a paragraph of several lines is one text; a field that shows a part of its text stays as it was read", () => {
  const lines = [line(0, ["All", 10], ["changes", 42]), line(16, ["are", 10], ["lost.", 42])];
  assertEquals(merged(lines, [element("All changes are lost.", 0, 0, 200, 30)]).map(({ text }) => text), [
    "All changes are lost.",
  ]);
  const long = `All changes ${"and many other words ".repeat(20)}`;
  assertEquals(merged(lines, [element(long, 0, 0, 200, 30)]).length, 2);
});

Deno.test("an element is found by its whole text", () => {
  const texts = [
    element("Save", 0, 0, 40, 20),
    element("Save as…", 50, 0, 80, 20),
    element("Saved", 0, 40, 40, 20),
  ];
  const spans = elementSpans(texts, { text: "save", match: 0.9, keepsCase: false });
  assertEquals(spans.map(({ text, match }) => [text, match]), [["Save", 1], ["Save as…", 0.6777], [
    "Saved",
    0.8,
  ]]);
});
