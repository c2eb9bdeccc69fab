/** The end of an action's observation: a table of moments. */

import { assertEquals } from "@std/assert";
import { endOf, type Moments } from "../../../control/observe/approach.ts";

/** An action begins at 1000 ms and ends at 1010. */
const CASES: [name: string, moments: Partial<Moments>, end: number][] = [
  ["an effect ends it when the screen is quiet", { changed: 1040, hasEffect: true, handled: 1012 }, 1070],
  ["an effect that another change follows", { changed: 1300, hasEffect: true, handled: 1012 }, 1330],
  ["an effect of a program that does not answer", { changed: 1040, hasEffect: true }, 1070],
  ["nothing, though the program has answered at once", { handled: 1012 }, 1410],
  ["nothing, and a program that answers late", { handled: 1900 }, 2050],
  ["nothing, and a program that does not answer", {}, 3010],
  ["what changes elsewhere just before the end", { changed: 1400, handled: 1012 }, 1430],
  ["what never becomes quiet", { changed: 3005, hasEffect: true, handled: 1012 }, 3010],
  ["nothing, before another action follows", { handled: 1012, isBrief: true }, 1070],
  ["an effect, before another action follows", { changed: 1040, hasEffect: true, isBrief: true }, 1070],
  ["a program that does not answer, before another action follows", { isBrief: true }, 1260],
  ["an effect before the action has returned", { changed: 1005, hasEffect: true }, 1035],
];

for (const [name, moments, end] of CASES) {
  Deno.test(`the end of an observation: ${name}`, () => {
    assertEquals(endOf({ acted: 1000, done: 1010, hasEffect: false, ...moments }), end);
  });
}
