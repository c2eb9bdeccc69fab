/** A trace that pauses: by a caller or while the screen is locked. */

import { assertEquals } from "@std/assert";
import { delay } from "@std/async/delay";
import { Operator } from "../../../control/operator/operator.ts";
import { pauseWhileLocked } from "../../../control/trace/person.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { runnerOf } from "../../support/control.ts";

/** A trace that records the calls of its methods. */
class Trace {
  isPaused = false;
  pausedFor: string | undefined;
  readonly done: string[] = [];

  pause(why?: string): void {
    this.pausedFor = why;
    if (!this.isPaused) this.done.push(`paused: ${why}`);
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    this.pausedFor = undefined;
    this.done.push("resumed");
  }
}

function locking() {
  const trace = new Trace();
  let told = 0, tell = (_: boolean) => {};
  const lock = { watch: (listener: (isLocked: boolean) => void) => (tell = listener, () => tell = () => {}) };
  const end = pauseWhileLocked(trace, lock, () => told++);
  return { trace, end, tell: (isLocked: boolean) => tell(isLocked), told: () => told };
}

Deno.test("a trace pauses while the screen is locked, and says so", () => {
  const { trace, tell, told, end } = locking();
  tell(true);
  tell(false);
  assertEquals([trace.done, told()], [["paused: the screen is locked", "resumed"], 2]);
  end();
  tell(true);
  assertEquals([trace.isPaused, told()], [false, 2]);
});

Deno.test("a caller's pause outlasts the lock, before it and during it", () => {
  for (const order of [["pause", "lock"], ["lock", "pause"]]) {
    const { trace, tell } = locking();
    for (const step of order) step === "pause" ? trace.pause() : tell(true);
    tell(false);
    assertEquals([trace.isPaused, trace.done.length], [true, 1]);
  }
});

Deno.test("if the lock is unknown nothing pauses", () => {
  const trace = new Trace();
  pauseWhileLocked(trace, undefined, () => {})();
  assertEquals(trace.done, []);
});

/** A trace on a virtual desktop. */
async function tracing() {
  const desktop = new VirtualDesktop(), traces = await runnerOf(new Operator(desktop)).traces();
  await traces.start();
  const text = async (signal = new AbortController().signal, follows = false) =>
    await new Response((await traces.read(undefined, follows, signal)).stream).text();
  return { desktop, traces, text };
}

Deno.test("a paused trace does not say which window is active", async () => {
  const { desktop, traces, text } = await tracing();
  traces.pause();
  traces.resume(); // looks at the windows soon
  traces.pause();
  const [other] = (await desktop.windows.list()).filter(({ active }) => !active);
  await desktop.windows.change(other, { to: "active" });
  await delay(1500);
  await traces.stop();
  const kinds = [...(await text()).matchAll(/"kind":"(\w+)"/g)].map(([, kind]) => kind);
  assertEquals(kinds.slice(kinds.lastIndexOf("pause")), ["pause", "end"]);
});

Deno.test("a reader that follows a trace adds no listeners with each change", async () => {
  const { traces, text } = await tracing();
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  let listeners = 0;
  Object.assign(AbortSignal.prototype, {
    addEventListener(this: AbortSignal, ...args: Parameters<typeof addEventListener>) {
      listeners++;
      addEventListener.apply(this, args);
    },
    removeEventListener(this: AbortSignal, ...args: Parameters<typeof removeEventListener>) {
      listeners--;
      removeEventListener.apply(this, args);
    },
  });
  try {
    const read = text(undefined, true);
    for (let changes = 0; changes < 20; changes++) {
      traces.pause();
      traces.resume();
      await delay(10);
    }
    assertEquals(listeners < 5, true, `${listeners} listeners`);
    await traces.stop();
    await read;
  } finally {
    Reflect.deleteProperty(AbortSignal.prototype, "addEventListener");
    Reflect.deleteProperty(AbortSignal.prototype, "removeEventListener");
  }
});
