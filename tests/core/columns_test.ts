/** Text in columns, at the width of a terminal. */

import { assertEquals } from "@std/assert";
import { fillLines, inColumns } from "../../core/printable.ts";

const ROWS = [["a", "one two three"], ["longer words", "four"], ["x".repeat(31), "five six"]] as const;

/** Width and the lines at it. */
const CASES: [width: number | undefined, lines: string[]][] = [
  [undefined, [
    `a${" ".repeat(32)}one two three`,
    `longer words${" ".repeat(21)}four`,
    `${"x".repeat(31)}  five six`,
  ]],
  [80, ["a             one two three", "longer words  four", "x".repeat(31), "              five six"]],
  [40, ["a             one two three", "longer words  four", "x".repeat(31), "              five six"]],
  [15, ["a   one two", "    three", "longer words", "    four", "x".repeat(31), "    five six"]],
];

for (const [width, lines] of CASES) {
  Deno.test(`columns at a width of ${width}`, () => assertEquals(inColumns(ROWS, width), lines));
}

Deno.test("no line is wider than the terminal, but for a word that is", () => {
  assertEquals(fillLines(["aaa", "bbb", "cccccccccc", "d"], 7), ["aaa bbb", "cccccccccc", "d"]);
});
