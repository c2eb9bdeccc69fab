/** A read that callers share. */

import { assertEquals, assertRejects } from "@std/assert";
import { setImmediate } from "node:timers";
import { CoalescedRead } from "../../core/coalesced_read.ts";

/** A counter that is read; each read gives how often it was read before. */
function counter() {
  const state = { reads: 0 };
  return { state, read: new CoalescedRead(() => state.reads++) };
}

/** Resolves in the next turn of the event loop. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

Deno.test("a caller that is alone reads at once", async () => {
  const { state, read } = counter();
  for (let turn = 0; turn < 3; turn++) {
    const value = read.get();
    assertEquals(state.reads, turn + 1);
    assertEquals(await value, turn);
    await nextTurn();
  }
});

Deno.test("callers of one turn share a read that begins after the last of them called", async () => {
  const { state, read } = counter();
  const values = Promise.all(Array.from({ length: 5 }, () => read.get()));
  assertEquals(state.reads, 1, "the first is alone so far; the others wait");
  assertEquals(await values, [0, 1, 1, 1, 1]);
});

Deno.test("where a turn had several callers, all of the next share one read, and then a lone one reads at once", async () => {
  const { state, read } = counter();
  const turnOf = async (callers: number) => {
    const values = Array.from({ length: callers }, () => read.get());
    await nextTurn();
    return await Promise.all(values);
  };
  assertEquals(await turnOf(3), [0, 1, 1]);
  assertEquals(await turnOf(3), [2, 2, 2]);
  assertEquals(await turnOf(1), [3]); // waits for others, in vain
  const before = state.reads;
  const alone = read.get();
  assertEquals([state.reads - before, await alone], [1, 4]);
});

Deno.test("a read that fails, fails for its callers, and the next is a new one", async () => {
  let fails = true;
  const read = new CoalescedRead(() => {
    if (fails) throw new Error("gone");
    return "there";
  });
  await Promise.all([1, 2, 3].map(() => assertRejects(() => read.get(), Error, "gone")));
  fails = false;
  assertEquals(await Promise.all([read.get(), read.get()]), ["there", "there"]);
});

Deno.test("a read that is asynchronous is awaited by all its callers", async () => {
  const read = new CoalescedRead(() => nextTurn().then(() => "there"));
  assertEquals(await Promise.all([read.get(), read.get(), read.get()]), ["there", "there", "there"]);
});
