/** The lateness of a replay, in bounded memory. */

import { assertAlmostEquals, assertEquals } from "@std/assert";
import { Lateness } from "../../../control/recording/playback.ts";

Deno.test("the summary of no action is zero, and that of some is exact", () => {
  assertEquals(Object.values(new Lateness().summary()), [0, 0, 0, 0]);
  const lateness = new Lateness();
  for (const ms of [9, 1, 2, 4]) lateness.add(ms);
  assertEquals(lateness.summary(), {
    meanLatenessMs: 4,
    medianLatenessMs: 4,
    p99LatenessMs: 9,
    maxLatenessMs: 9,
  });
});

Deno.test("a million actions are summed up: mean and maximum exactly, the rest closely", () => {
  let seed = 1; // the same numbers in each run
  const lateness = new Lateness(() => (seed = seed * 16_807 % 2_147_483_647) / 2_147_483_647);
  // In turn early and late, as presses and releases may be, and later towards the end.
  for (let i = 0; i < 1_000_000; i++) lateness.add(i % 2 ? i : 0);
  const { meanLatenessMs, medianLatenessMs, p99LatenessMs, maxLatenessMs } = lateness.summary();
  assertEquals([meanLatenessMs, maxLatenessMs], [250_000, 999_999]);
  assertEquals(medianLatenessMs < 20_000, true, `${medianLatenessMs}`);
  assertAlmostEquals(p99LatenessMs, 980_000, 3000);
});
