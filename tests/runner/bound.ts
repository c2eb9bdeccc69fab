/**
 * The bound of each test, which the runner loads before a file of tests (`deno test --preload`). A wait for a program
 * or an answer that takes too long fails where the test waits. A test that waits without end for anything else is
 * interrupted: Deno then names it, and its step. The virtual desktop's clock stands still in tests, and in the
 * programs that they start, since a minute that ends between two pictures of it would make them differ.
 */

import { PATIENCE_MS, patienceMs, progress, refuseLongWaits, stillness, waiting } from "../support/waits.ts";

/** The time between looks at waits, in milliseconds. */
const LOOK_MS = PATIENCE_MS / 90;
/** The time in which a failed test ends its programs, in milliseconds. */
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
