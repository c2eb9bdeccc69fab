/** Work before the program exits, and its order. */

import { assertEquals } from "@std/assert";
import { Lifetime } from "../../core/lifetime.ts";

Deno.test("the exit waits for unfinished work, then runs the cleanup, the last registered first", async () => {
  const lifetime = new Lifetime(), done: string[] = [];
  const flushed = Promise.withResolvers<void>();
  lifetime.atEnd((how) => done.push(`first ${how}`));
  lifetime.atEnd(() => {
    throw new Error("the others run all the same");
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

Deno.test("the exit does not wait for ever, and not at all after a second signal", async () => {
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
