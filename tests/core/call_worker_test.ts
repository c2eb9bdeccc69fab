/** A Worker that answers calls. */

import { assertEquals, assertRejects } from "@std/assert";
import { CallWorker, Pool } from "../../core/worker.ts";
import { BusyError, InputError, StateError } from "../../core/errors.ts";

type Options = ConstructorParameters<typeof CallWorker<string | Uint8Array, string | Uint8Array>>[0];

/** Makes a caller, and a promise that resolves when its idle Worker has ended. */
function subject(
  url = new URL("./call_worker_subject.ts", import.meta.url),
  more: Partial<Options> = {},
) {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const worker = new CallWorker<string | Uint8Array, string | Uint8Array>({
    url,
    idleMs: 200,
    ...more,
    onIdle: resolve,
  });
  return { worker, ended };
}

Deno.test("one Worker answers calls in order, errors included", async () => {
  const { worker, ended } = subject();
  assertEquals(await Promise.all([worker.call("a"), worker.call("b")]), ["a 1", "b 2"]);
  assertEquals(await worker.call("bytes"), new Uint8Array([1, 2, 3]));
  await assertRejects(() => worker.call("refuse"), InputError, "the input is wrong");
  // An abort error keeps its class, so that it is not reported as an internal error.
  await assertRejects(() => worker.call("leave"), DOMException, "the caller has left");
  assertEquals(await worker.call("c"), "c 6");
  await ended;
});

Deno.test("transfers a call's bytes to the Worker on request", async () => {
  const { worker, ended } = subject();
  const copied = new Uint8Array([1, 2]), moved = new Uint8Array([3, 4]);
  assertEquals(await worker.call(copied), "1,2 1");
  assertEquals(await worker.call(moved, [moved.buffer]), "3,4 2");
  assertEquals([copied.length, moved.length], [2, 0]);
  await ended;
});

Deno.test("an idle Worker ends, and the next call starts another", async () => {
  const { worker, ended } = subject();
  assertEquals(await worker.call("a"), "a 1");
  await ended;
  assertEquals(await worker.call("b"), "b 1");
});

Deno.test("a crash rejects the pending calls, and the next call starts another Worker", async () => {
  const { worker, ended } = subject();
  await Promise.all([
    assertRejects(() => worker.call("crash"), Error, "a bug in a timer"),
    assertRejects(() => worker.call("a"), Error, "a bug in a timer"),
  ]);
  assertEquals(await worker.call("b"), "b 1");
  await ended;
});

Deno.test("a Worker past its time limit is ended, and another answers the queued calls", async () => {
  // The other calls have as long as a Worker takes to start on a busy machine.
  const { worker, ended } = subject(undefined, { limitOf: (call) => call === "hang" ? 300 : 60_000 });
  const moved = new Uint8Array([3, 4]);
  const calls = [worker.call("a"), worker.call("hang"), worker.call("b"), worker.call(moved, [moved.buffer])];
  await assertRejects(() => calls[1], BusyError, "it took more than 0.3 s");
  assertEquals(await Promise.all([calls[0], calls[2], calls[3]]), ["a 1", "b 1", "3,4 2"]);
  await ended;
});

Deno.test("a time limit that has grown in the meantime gives the Worker longer", async () => {
  let laterMs = 60_000;
  const { worker, ended } = subject(undefined, { limitMs: 1, limitLaterMs: () => laterMs });
  assertEquals(await worker.call("a"), "a 1");
  laterMs = 300;
  const hung = worker.call("hang"), next = worker.call("b");
  await assertRejects(() => hung, BusyError, "it took more than 0.3 s");
  laterMs = 60_000; // before the first limit of the next call is over
  assertEquals(await next, "b 1");
  await ended;
});

Deno.test("drops the queued call of a caller that leaves, and refuses too many calls", async () => {
  const { worker, ended } = subject(undefined, { mostWaiting: 2 });
  const client = new AbortController(), { signal } = client, gone = new Error("the caller has left");
  const first = worker.call("a", [], signal), left = worker.call("b", [], signal), stays = worker.call("c");
  await assertRejects(() => worker.call("d"), BusyError, "2 calls wait for their turn already");
  client.abort(gone);
  assertEquals(await left.catch((error) => error), gone);
  await assertRejects(() => worker.call("e", [], signal), Error, gone.message);
  const later = worker.call("f");
  // The Worker counts its calls: it had received only the first when the caller left.
  assertEquals(await Promise.all([first, stays, later]), ["a 1", "c 2", "f 3"]);
  await ended;
});

Deno.test("a Worker that waits for what does not answer is ended when its caller says so", async () => {
  const { worker, ended } = subject();
  const caller = new AbortController(), why = new BusyError("the disk has not answered");
  const stuck = worker.call("hang", [], caller.signal), next = worker.call("a");
  caller.abort(why);
  assertEquals(await stuck.catch((error) => error), why);
  assertEquals(await next, "a 1");
  await ended;
});

Deno.test("closing a Worker rejects the pending calls with an expected error", async () => {
  const { worker } = subject();
  const waiting = assertRejects(() => worker.call("a"), StateError, "it was closed before it answered");
  worker.close();
  await waiting;
});

Deno.test("rejects the call if the Worker's module cannot be loaded", async () => {
  const { worker } = subject(new URL("./no_such_worker.ts", import.meta.url));
  await assertRejects(() => worker.call("a"), Error);
});

// Pools.

Deno.test("an empty pool serves waiters in order as objects are returned", async () => {
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
