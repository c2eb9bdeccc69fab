/** Signals of callers: the signal of a request takes long to make, so only actions that wait ask for it. */

import { assertEquals } from "@std/assert";
import type { Caller } from "../../control/actions/runner.ts";
import { ACTIONS } from "../../control/actions/mod.ts";
import { Operator } from "../../control/operator/operator.ts";
import { VirtualDesktop } from "../../ffi/virtual/mod.ts";
import { runnerOf } from "../support/control.ts";

/** A caller that counts the questions for its signal. */
class CountingCaller implements Caller {
  asked = 0;

  get signal(): AbortSignal {
    this.asked++;
    return new AbortController().signal;
  }
}

const at = { x: 10, y: 20 };

Deno.test("an action that does not wait never asks for the signal of its caller", async () => {
  const runner = runnerOf(new Operator(new VirtualDesktop())), caller = new CountingCaller();
  const { position, move, scroll, press, release, click } = ACTIONS;
  const asked: Record<string, number> = {};
  const run = async (name: string, run: () => Promise<unknown>) => {
    caller.asked = 0;
    await run();
    asked[name] = caller.asked;
  };
  await run("position", () => runner.run(position, {}, caller));
  await run("move", () => runner.run(move, at, caller));
  await run("scroll", () => runner.run(scroll, { direction: "up", amount: 1, ...at }, caller));
  await run("press", () => runner.run(press, { button: "left", ...at }, caller));
  await run("release", () => runner.run(release, { button: "left", ...at }, caller));
  await run("click", () => runner.run(click, { button: "left", ...at }, caller));
  assertEquals(asked, { position: 0, move: 0, scroll: 0, press: 0, release: 0, click: 0 });
});

Deno.test("an action that waits for another one's end asks for it", async () => {
  const operator = new Operator(new VirtualDesktop()),
    runner = runnerOf(operator),
    caller = new CountingCaller();
  const end = Promise.withResolvers<void>(), other = operator.run(() => end.promise);
  const moved = runner.run(ACTIONS.move, at, caller);
  end.resolve();
  await Promise.all([other, moved]);
  assertEquals(caller.asked > 0, true);
});
