/**
 * The time limit of each test, which the runner loads before a test file (`deno test --preload`). If a
 * program or a response takes too long, the test fails where it waits. A test that waits forever for anything
 * else is interrupted: Deno then names the test and its step. The virtual desktop's clock is stopped in
 * tests, and in the programs that they start, because two screenshots would differ if a minute ended between
 * them.
 */

import { PATIENCE_MS, patienceMs, progress, refuseLongWaits, stillness, waiting } from "../support/waits.ts";

/** Interval between checks of waits, in milliseconds. */
const LOOK_MS = PATIENCE_MS / 90;
/** Time for a failed test to end its programs, in milliseconds. */
const GRACE_MS = PATIENCE_MS / 5;

Deno.env.set("DESKHAND_CLOCK", "2026-01-15T09:41");

const { fetch } = globalThis;
globalThis.fetch = (input, init) =>
  waiting(`the answer to ${input instanceof Request ? input.url : input}`, fetch(input, init));

const { output } = Deno.Command.prototype;
Deno.Command.prototype.output = function (this: Deno.Command) {
  return waiting("the end of a program", output.call(this));
};

Deno.test.beforeEach(progress);
Deno.test.afterEach(progress);

Deno.unrefTimer(setInterval(() => {
  refuseLongWaits();
  if (stillness() < patienceMs() + GRACE_MS) return;
  console.error(`\n!!! a test came no further for ${Math.round(stillness() / 1000)} s: interrupted !!!\n`);
  Deno.kill(Deno.pid, "SIGINT");
}, LOOK_MS));
