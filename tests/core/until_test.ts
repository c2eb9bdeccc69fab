/** Bounded waits: polling, deadlines that share a timer, and idle timers. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import { deadline, IdleTimer, until, within } from "../../core/until.ts";

Deno.test("checks immediately, repeats until success, and accepts a falsy result", async () => {
  assertEquals(await until(() => 0, { ms: 0, every: 1000 }), 0);
  let looks = 0;
  assertEquals(await until(() => Promise.resolve(++looks === 3 && ""), { ms: 60_000, every: 1 }), "");
  assertEquals(looks, 3);
});

Deno.test("a wait ends on time with a last check, even between two intervals", async () => {
  const from = performance.now(), at: number[] = [];
  assertEquals(
    await until(() => void at.push(performance.now() - from), { ms: 30, every: 60_000 }),
    undefined,
  );
  assertEquals([at.length, at[1] >= 30], [2, true], at.join());
});

Deno.test("an error of the check or an abort signal ends the wait", async () => {
  const bounds = { ms: 60_000, every: 60_000 }, ending = new AbortController();
  await assertRejects(() => until(() => Promise.reject(new Error("gone")), bounds), Error, "gone");
  const waiting = until(() => false, { ...bounds, signal: ending.signal });
  ending.abort(new Error("no longer wanted"));
  await assertRejects(() => waiting, Error, "no longer wanted");
});

Deno.test("deadlines fire in order and on time, and withdrawn ones never", async () => {
  const from = performance.now(), late: [name: string, afterMs: number][] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const note = (name: string, then = () => {}) => () => {
    late.push([name, performance.now() - from]);
    then();
  };
  deadline(60_000, note("distant"))();
  deadline(2 ** 40, note("longer than any timer"))();
  // In the order in which they are due, however long this thread waits for a processor in between.
  deadline(20, note("first", () => withdraw()));
  const withdraw = deadline(40, note("withdrawn"));
  deadline(60, note("second", () => deadline(20, note("third", resolve))));
  await promise;
  assertEquals(late.map(([name]) => name), ["first", "second", "third"]);
  assertEquals(late.map(([, ms], i) => ms >= [20, 60, 80][i]), [true, true, true], late.join());
});

Deno.test("an answer that came while this thread was held up is in time", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  using client = await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port });
  using server = await listener.accept();
  for (let i = 0; i < 20; i++) {
    const answer = within(20, server.read(new Uint8Array(1)));
    await client.write(Uint8Array.of(i));
    for (const end = performance.now() + 50; performance.now() < end;);
    assertEquals(await answer, 1, `${i}`);
  }
});

Deno.test("an idle timer fires once after the last use, and never once it is canceled", async () => {
  const freed: number[] = [], used: number[] = [];
  const idle = new IdleTimer(40, () => freed.push(performance.now()));
  const use = () => {
    used.push(performance.now());
    idle.touch();
  };
  use();
  await delay(25);
  use();
  await until(() => freed.length > 0, { ms: 60_000, every: 5 });
  const unused = freed[0] - used.findLast((at) => at <= freed[0])!;
  assert(unused >= 40, `freed after ${unused} ms`);
  const { length } = freed;
  idle.touch();
  idle.cancel();
  await delay(80);
  assertEquals(freed.length, length);
});
