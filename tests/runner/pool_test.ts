/** The order and number of jobs that run at a time. */

import { assertEquals, assertRejects } from "@std/assert";
import { Pool } from "./pool.ts";

Deno.test("no more jobs than the limit run at a time, and the long ones are next", async () => {
  const pool = new Pool(2), started: number[] = [], ends = new Map<number, () => void>();
  let running = 0, most = 0;
  const all = [1, 2, 5, 9, 3].map((number) =>
    pool.run(number === 9, async () => {
      started.push(number);
      most = Math.max(most, ++running);
      await new Promise<void>((end) => ends.set(number, end));
      running--;
      return number;
    })
  );
  for (const number of [2, 1, 9, 5, 3]) {
    while (!ends.has(number)) await Promise.resolve();
    ends.get(number)!();
  }
  assertEquals(await Promise.all(all), [1, 2, 5, 9, 3]);
  assertEquals([started, most], [[1, 2, 9, 5, 3], 2]);
});

Deno.test("a job that throws makes room for the next", async () => {
  const pool = new Pool(1);
  await assertRejects(() => pool.run(false, () => Promise.reject(new Error("no"))), Error, "no");
  assertEquals(await pool.run(false, () => Promise.resolve("yes")), "yes");
});
