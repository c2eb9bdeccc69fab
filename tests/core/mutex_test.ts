/** Mutual exclusion: order, failures, queue limit; capacity; reads that callers share. */

import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { setImmediate } from "node:timers";
import { Capacity, CoalescedRead } from "../../core/coalesced_read.ts";
import { BusyError } from "../../core/errors.ts";
import { Mutex } from "../../core/mutex.ts";

/** A mutex, and actions that log when they begin and end. */
function tracked(maxQueue = 10) {
  const mutex = new Mutex(maxQueue, "too many wait");
  const log: string[] = [];
  /** Runs an action that ends when the gate opens. */
  const run = (name: string, gate: Promise<unknown> = Promise.resolve(), unbounded = false) =>
    mutex.run(async () => {
      log.push(`${name} begins`);
      try {
        await gate;
      } finally {
        log.push(`${name} ends`);
      }
      return name;
    }, { unbounded });
  return { mutex, log, run };
}

Deno.test("actions run one at a time, in order of arrival, and their results are returned", async () => {
  const { log, run } = tracked();
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const results = Promise.all(["a", "b", "c"].map((name, i) => run(name, gates[i].promise)));
  for (const gate of gates.reverse()) gate.resolve(); // the last would end first if they ran in parallel
  assertEquals(await results, ["a", "b", "c"]);
  assertEquals(log, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

Deno.test("an action that arrives during a handover waits behind the next in line", async () => {
  // A handover takes several microtasks; the newcomer arrives in each of them.
  for (let steps = 0; steps < 12; steps++) {
    const { log, run } = tracked();
    const gate = Promise.withResolvers<void>();
    const first = run("a", gate.promise), second = run("b");
    gate.resolve();
    for (let step = 0; step < steps; step++) await undefined;
    await Promise.all([first, second, run("c")]);
    assertEquals(log, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"], `${steps} steps`);
  }
});

Deno.test("a failed action rejects only for its caller, and the next runs", async () => {
  const { mutex, log, run } = tracked();
  const failing = assertRejects(() => run("a", Promise.reject(new Error("broken"))), Error, "broken");
  const throwing = assertRejects(
    () =>
      Promise.resolve(mutex.run(() => {
        throw new Error("at once");
      })),
    Error,
    "at once",
  );
  assertEquals(await run("b"), "b");
  await Promise.all([failing, throwing]);
  assertEquals(log, ["a begins", "a ends", "b begins", "b ends"]);
});

Deno.test("an action may be synchronous", async () => {
  const { mutex } = tracked();
  assertEquals(await mutex.run(() => 7), 7);
  assertEquals(await Promise.all([1, 2, 3].map((n) => mutex.run(() => n))), [1, 2, 3]);
});

Deno.test("refuses an action when the queue is full, unless it is unbounded", async () => {
  const { log, run } = tracked(2);
  const gate = Promise.withResolvers<void>();
  const accepted = [run("runs", gate.promise), run("waits"), run("waits too")];
  await assertRejects(() => run("one too many"), BusyError, "too many wait");
  accepted.push(run("a release", undefined, true));
  gate.resolve();
  assertEquals(await Promise.all(accepted), ["runs", "waits", "waits too", "a release"]);
  assertEquals(log.filter((line) => line.startsWith("one")), []);
  assertEquals(await run("later"), "later");
});

Deno.test("an action may have the next turn, even if the queue is full", async () => {
  const { mutex, run } = tracked(2), order: string[] = [];
  const gate = Promise.withResolvers<void>(), noted = (name: string) => order.push(name);
  const all: Promise<unknown>[] = [
    run("runs", gate.promise),
    run("waits").then(noted),
    run("waits too").then(noted),
  ];
  all.push(mutex.run(() => noted("next"), { isNext: true }));
  gate.resolve();
  await Promise.all(all);
  assertEquals(order, ["next", "waits", "waits too"]);
});

Deno.test("an aborted waiter does not run, and those behind it move up", async () => {
  const { mutex, log, run } = tracked(2);
  const gate = Promise.withResolvers<void>(), leaving = new AbortController();
  const first = run("a", gate.promise);
  const left = mutex.run(() => void log.push("left"), { waiter: leaving });
  const last = run("b");
  leaving.abort(new Error("gone"));
  await assertRejects(() => left, Error, "gone");
  const newcomer = run("c"); // the queue has room again
  gate.resolve();
  await Promise.all([first, last, newcomer]);
  assertEquals(log, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

Deno.test("the next in line may abort at any moment, and those behind it run", async () => {
  for (let steps = 0; steps < 12; steps++) {
    const { mutex, run } = tracked();
    const gate = Promise.withResolvers<void>(), leaving = new AbortController();
    const first = run("a", gate.promise);
    const second = mutex.run(() => {}, { waiter: leaving }).catch(() => {});
    const third = run("b");
    gate.resolve();
    for (let step = 0; step < steps; step++) await undefined;
    leaving.abort();
    await Promise.all([first, second, third]);
  }
});

Deno.test("reads a waiter's signal only if there is a queue", async () => {
  const { mutex } = tracked();
  const waiter = {
    get signal(): AbortSignal {
      throw new Error("asked");
    },
  };
  assertEquals(await mutex.run(() => 1, { waiter }), 1);
});

Deno.test("refuses a lease past the limit, and reuses a returned place", () => {
  const capacity = new Capacity(2, "2 are here already");
  const first = capacity.enter();
  using _second = capacity.enter();
  assertThrows(() => capacity.enter(), BusyError, "2 are here already");
  first[Symbol.dispose]();
  using _third = capacity.enter();
  assertThrows(() => capacity.enter(), BusyError);
});

Deno.test("disposing of a lease twice returns one place", () => {
  const capacity = new Capacity(1, "full");
  const lease = capacity.enter();
  lease[Symbol.dispose]();
  lease[Symbol.dispose]();
  using _only = capacity.enter();
  assertThrows(() => capacity.enter(), BusyError);
});

// Reads that callers share.

/** A counter whose reads return the number of earlier reads. */
function counter() {
  const state = { reads: 0 };
  return { state, read: new CoalescedRead(() => state.reads++) };
}

// The first turn of a process is longer.
await new CoalescedRead(() => {}).get();

/** Resolves in the next turn of the event loop. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

Deno.test("a lone caller reads immediately", async () => {
  const { state, read } = counter();
  for (let turn = 0; turn < 3; turn++) {
    const value = read.get();
    assertEquals(state.reads, turn + 1);
    assertEquals(await value, turn);
    await nextTurn();
  }
});

Deno.test("later callers of one turn share a read that begins after the last call", async () => {
  const { state, read } = counter();
  const values = Promise.all(Array.from({ length: 5 }, () => read.get()));
  assertEquals(state.reads, 1, "the first is alone so far; the others wait");
  assertEquals(await values, [0, 1, 1, 1, 1]);
});

Deno.test("after a shared turn the next shares one read, then a lone caller reads immediately", async () => {
  const { state, read } = counter();
  const turnOf = async (callers: number) => {
    const values = Array.from({ length: callers }, () => read.get());
    await nextTurn();
    return await Promise.all(values);
  };
  assertEquals(await turnOf(3), [0, 1, 1]);
  assertEquals(await turnOf(3), [2, 2, 2]);
  assertEquals(await turnOf(1), [3]); // waits for other callers, in vain
  const before = state.reads;
  const alone = read.get();
  assertEquals([state.reads - before, await alone], [1, 4]);
});

Deno.test("a failed read rejects for all its callers, and the next reads again", async () => {
  let fails = true;
  const read = new CoalescedRead(() => {
    if (fails) throw new Error("gone");
    return "there";
  });
  await Promise.all([1, 2, 3].map(() => assertRejects(() => read.get(), Error, "gone")));
  fails = false;
  assertEquals(await Promise.all([read.get(), read.get()]), ["there", "there"]);
});

Deno.test("all callers await an asynchronous read", async () => {
  const read = new CoalescedRead(() => nextTurn().then(() => "there"));
  assertEquals(await Promise.all([read.get(), read.get(), read.get()]), ["there", "there", "there"]);
});
