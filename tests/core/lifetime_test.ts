/** What is done at the end, and in which order. */

import { assertEquals } from "@std/assert";
import { Lifetime } from "../../core/lifetime.ts";

Deno.test("the end waits for what it is put off for, and then does all else, last first", async () => {
  const lifetime = new Lifetime(), done: string[] = [];
  const flushed = Promise.withResolvers<void>();
  lifetime.atEnd((how) => done.push(`first ${how}`));
  lifetime.atEnd(() => {
    throw new Error("the others have their turn");
  });
  lifetime.atEnd(() => done.push("last"));
  lifetime.beforeEnd(() => flushed.promise.then(() => void done.push("flushed")));
  const ended = lifetime.end("signal");
  assertEquals(done, []);
  flushed.resolve();
  await ended;
  assertEquals(done, ["flushed", "last", "first signal"]);
  await lifetime.end("finished");
  assertEquals(done.length, 3);
});

Deno.test("the end is not put off for ever, and not at all by another signal", async () => {
  for (const again of [false, true]) {
    const lifetime = new Lifetime(), done: string[] = [];
    lifetime.atEnd((how) => done.push(how));
    lifetime.beforeEnd(() => new Promise(() => {}));
    const ended = lifetime.end("signal");
    if (again) {
      lifetime.end("finished");
      assertEquals(done, ["finished"]);
    }
    await ended;
    assertEquals(done, [again ? "finished" : "signal"]);
  }
});
