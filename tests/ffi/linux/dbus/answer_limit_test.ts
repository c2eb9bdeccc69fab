/** The bound on the wait for a service's answer. */

import { assert, assertEquals } from "@std/assert";
import { limitWait } from "../../../../ffi/linux/dbus/answers.ts";

/** Waits for the end of a wait; gives the limit that its error names, and the time that it took. */
async function ended(ms?: number): Promise<{ named: number; took: number }> {
  const start = performance.now();
  const error = await new Promise<Error>((resolve) => limitWait("a service", ms, resolve));
  const [, named] = /^a service: no answer came in (\d+) ms$/.exec(error.message)!;
  return { named: Number(named), took: performance.now() - start };
}

Deno.test("a limit of the caller's is kept, on a busy machine too", async () => {
  const { named, took } = await ended(30);
  assertEquals(named, 30);
  assert(took >= 30, `${took} ms`);
});

Deno.test("without a limit of the caller's, the wait lasts as long as its error says: 5 to 20 s", async () => {
  const { named, took } = await ended();
  assert(named >= 5000 && named <= 20_000, `${named} ms`);
  assert(took >= named, `${took} ms`);
});

Deno.test("an answer that comes in time ends the limit", () => {
  limitWait("a service", undefined, () => {})(); // a timer that was left would fail the test
});
