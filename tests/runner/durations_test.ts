/** The times of files of tests, by which they are sorted. */

import { assertEquals } from "@std/assert";
import { durationRows, secondsOf } from "./durations.ts";

Deno.test("a file without a row takes a few seconds", () => {
  assertEquals(secondsOf("tests/core/none_test.ts"), 2);
});

Deno.test("the table is written with the longest first, without short ones and jobs that are no files", () => {
  const took = new Map([
    ["tests/b_test.ts", 7.6],
    ["tests/a_test.ts", 7.6],
    ["tests/short_test.ts", 1.2],
    ["tests/windows/ under Wine: text", 30],
    ["tests/long_test.ts", 61.3],
  ]);
  assertEquals(
    durationRows(took),
    '  "tests/long_test.ts": 61,\n  "tests/a_test.ts": 8,\n  "tests/b_test.ts": 8,',
  );
});
