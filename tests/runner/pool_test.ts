/** The order and number of jobs that run at the same time. */

import { assertEquals, assertRejects } from "@std/assert";
import { durationRows, secondsOf } from "./durations.ts";
import { Pool } from "./pool.ts";

Deno.test("no more jobs than the limit run at a time, and the longest waiting one is next", async () => {
  const pool = new Pool({ limit: 2 }), started: number[] = [], ends = new Map<number, () => void>();
  let running = 0, most = 0;
  const all = [1, 2, 5, 9, 3].map((seconds) =>
    pool.run(seconds, async () => {
      started.push(seconds);
      most = Math.max(most, ++running);
      await new Promise<void>((end) => ends.set(seconds, end));
      running--;
      return seconds;
    })
  );
  for (const seconds of [2, 1, 9, 3, 5]) {
    while (!ends.has(seconds)) await Promise.resolve();
    ends.get(seconds)!();
  }
  assertEquals(await Promise.all(all), [1, 2, 5, 9, 3]);
  assertEquals([started, most], [[1, 2, 9, 5, 3], 2]);
});

Deno.test("while processors are idle, more jobs run, up to another limit", async () => {
  let idle = 3, running = 0, most = 0;
  const end = Promise.withResolvers<void>();
  const pool = new Pool({
    limit: 1,
    most: 3,
    everyMs: 1,
    isIdle() {
      if (--idle < 0) end.resolve();
      return idle >= 0;
    },
  });
  const jobs = Array.from({ length: 5 }, (_, i) =>
    pool.run(i, async () => {
      most = Math.max(most, ++running);
      await end.promise;
      running--;
    }));
  await Promise.all(jobs);
  assertEquals([most, running], [3, 0]);
});

Deno.test("a job that throws makes room for the next", async () => {
  const pool = new Pool({ limit: 1 });
  await assertRejects(() => pool.run(1, () => Promise.reject(new Error("no"))), Error, "no");
  assertEquals(await pool.run(1, () => Promise.resolve("yes")), "yes");
});

Deno.test("the table of durations is written with the longest first, and names files alone", () => {
  const took = new Map([
    ["tests/b_test.ts", 8.6],
    ["tests/a_test.ts", 8.6],
    ["tests/short_test.ts", 1.2],
    ["tests/windows/ under Wine: text", 30],
    ["tests/long_test.ts", 61.3],
  ]);
  assertEquals(
    durationRows(took),
    '  "tests/long_test.ts": 61,\n  "tests/a_test.ts": 9,\n  "tests/b_test.ts": 9,',
  );
});

Deno.test("a file without a row takes a few seconds", () => {
  assertEquals(secondsOf("tests/core/none_test.ts"), 4);
});
