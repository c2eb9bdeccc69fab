/** A trace while the screen is locked. */

import { assertEquals } from "@std/assert";
import { pauseWhileLocked } from "../../../control/trace/person.ts";

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
