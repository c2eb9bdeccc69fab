/** Objects that a pool lends, one after the other. */

import { assertEquals } from "@std/assert";
import { Pool } from "../../core/call_worker.ts";

Deno.test("who finds nothing free gets what is given back, in the order of asking", async () => {
  const pool = new Pool(["a", "b"]), taken: string[] = [];
  const take = async (who: string) => taken.push(`${who} ${await pool.take()}`);
  await Promise.all([take("first"), take("second")]);
  const third = take("third"), fourth = take("fourth");
  assertEquals(taken, ["first b", "second a"]);
  pool.give("a");
  await third;
  pool.give("b");
  await fourth;
  assertEquals(taken.slice(2), ["third a", "fourth b"]);
  pool.give("a");
  assertEquals(await pool.take(), "a");
});
