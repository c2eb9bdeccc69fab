/** The verdict of several actions as one: a table. */

import { assertEquals } from "@std/assert";
import type { Judgement } from "../../../control/observe/judgement.ts";
import { wholeOf } from "../../../control/observe/verdict.ts";

const HIT: Judgement = { verdict: "hit", reason: "the place changed" };
const OPENED: Judgement = { verdict: "hit", reason: "a window opened" };
const MISS: Judgement = { verdict: "miss", reason: "nothing changed" };
const UNSURE: Judgement = { verdict: "unsure", reason: "the screen did not settle" };
const BETWEEN: Judgement = { verdict: "unsure", reason: "something changed between the steps" };

const CASES: [name: string, parts: Judgement[], hasChanged: boolean, whole: Judgement][] = [
  ["an early hit", [HIT, MISS], true, HIT],
  ["the last of two hits", [OPENED, HIT], true, HIT],
  ["a hit and a doubt", [HIT, UNSURE], true, HIT],
  ["a doubt and a miss", [UNSURE, MISS], false, UNSURE],
  ["an effect that came when no action waited", [MISS, MISS], true, BETWEEN],
  ["nothing at all", [MISS, MISS], false, MISS],
  ["one step, beside which something changed", [MISS], true, MISS],
];

for (const [name, parts, hasChanged, whole] of CASES) {
  Deno.test(`the verdict of several steps: ${name}`, () => {
    assertEquals(wholeOf(parts, hasChanged), whole);
  });
}
