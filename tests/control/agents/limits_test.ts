/** The limits of a call: its time, its turn, and how long it holds a key or button down. */

import { assertAlmostEquals, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Deadline } from "../../../control/agents/tool.ts";
import { controlApi } from "../../support/control.ts";
import { short, until } from "../../support/shell.ts";
import { call, wordsOf } from "../../support/agent_tools.ts";
import { WatchedDesktop } from "../../support/window_desktops.ts";

/** Positions so far apart that a drag between them takes half a minute. */
const LONG_PATH = Array.from({ length: 100 }, (_, i) => i % 2 ? { x: 1279, y: 719 } : { x: 0, y: 0 });

Deno.test("a call is aborted at its timeout, and what it holds is released", async () => {
  const api = controlApi({ agents: { longestMs: 10_000 } });
  const result = await call(api, "drag", { path: LONG_PATH, hold: "shift" });
  assertEquals([result.isError, wordsOf(result)], [true, "the call timed out after 10 s"]);
  assertEquals(api.operator.held(), []);
  assertEquals(short(api.desktop.log).slice(-2), ["-left", "-shift"]);
});

Deno.test("steps aborted by the call's limit or by a person report how many were executed", async () => {
  const api = controlApi({ agents: { longestMs: 3000 } }), move = { tool: "move", x: 1, y: 1 };
  const actions = [move, { tool: "drag", path: LONG_PATH }, move];
  assertEquals(
    wordsOf(await call(api, "do", { actions })),
    "the call timed out after 3 s; 1 of 3 steps were done, and step 2 (drag) was under way",
  );
  const desktop = new WatchedDesktop(), watched = controlApi({ desktop });
  const steps = [{ move: [1, 1] }, { wait: { ms: 60_000 } }, { move: [1, 1] }];
  const acting = call(watched, "act", { steps });
  await until(() => desktop.log.length > 0);
  desktop.person({ type: "move", x: 9, y: 9 });
  assertMatch(
    wordsOf(await acting),
    /^a person is using .*; [01] of 3 steps were done, and step [12] \(\w+\) was/,
  );
});

/** An operator with an action that lasts until `end`, and a promise of the first click. */
function busy(api: ReturnType<typeof controlApi>) {
  const gate = Promise.withResolvers<void>(), asked = Promise.withResolvers<void>();
  const { operator } = api, lasting = operator.run(() => gate.promise);
  const click = operator.click.bind(operator), move = operator.move.bind(operator);
  operator.click = (...given) => {
    const clicked = click(...given);
    asked.resolve();
    return clicked;
  };
  operator.move = (...given) => { // moves the pointer to an observed click's position
    const moved = move(...given);
    asked.resolve();
    return moved;
  };
  return {
    asked: asked.promise,
    /** Ends the long call, and waits for everything that waited for its turn. */
    async end() {
      gate.resolve();
      await lasting;
      await api.operator.run(() => Promise.resolve());
    },
  };
}

Deno.test("a click still queued when its call's time is over is not executed", async () => {
  const api = controlApi({ agents: { longestMs: 200 } }), { end } = busy(api);
  assertEquals(wordsOf(await call(api, "click", { x: 1, y: 1 })), "the call timed out after 0.2 s");
  const action = { action: "left_click", coordinate: [1, 1] };
  const answer = await api.request("POST", "/api/act", { dialect: "anthropic", action });
  assertEquals([answer.status, await answer.json()], [408, { error: "the call timed out after 0.2 s" }]);
  await end();
  assertEquals(api.desktop.log, []);
});

Deno.test("a click queued while a person takes over is not executed", async () => {
  const desktop = new WatchedDesktop(), api = controlApi({ desktop }), { asked, end } = busy(api);
  const clicking = call(api, "click", { x: 1, y: 1 });
  await asked;
  desktop.person({ type: "move", x: 9, y: 9 });
  assertStringIncludes(wordsOf(await clicking), "a person is using the desktop");
  await end();
  assertEquals(desktop.log, []);
});

Deno.test("a click queued over HTTP is not executed when its client hangs up", async () => {
  const api = controlApi(), { asked, end } = busy(api), leaving = new AbortController();
  const body = { x: 1, y: 1, button: "left" };
  const answer = api.request("POST", "/api/click", body, { signal: leaving.signal }).catch(() => {});
  await asked;
  leaving.abort();
  await answer;
  await end();
  assertEquals(api.desktop.log, []);
});

Deno.test("a call has its requested time plus the limit", async () => {
  const api = controlApi({ agents: { longestMs: 4000 } });
  assertEquals(wordsOf(await call(api, "wait", { ms: 4500 })), "waited 4500 ms");
  const pixel = { x: 1, y: 1, hex: "#123456" };
  assertEquals(
    wordsOf(await call(api, "wait", { pixel, timeout_ms: 50 })),
    "the pixel did not get that colour within 50 ms",
  );
});

Deno.test("a call can request at most 300 s", () => {
  using deadline = new Deadline(1000);
  for (let i = 0; i < 3; i++) deadline.extend(200_000);
  assertAlmostEquals(deadline.leftMs, 301_000, 900);
});

Deno.test("keys that would be held longer than the call are not pressed", async () => {
  const api = controlApi();
  const result = await call(api, "key", { keys: "a", hold_ms: 200_000, repeat: 3 });
  assertEquals(result.isError, true);
  assertMatch(wordsOf(result), /^keys can be held for at most \d+ ms in this call, not 600000$/);
  assertEquals(api.desktop.log, []);
});

Deno.test("keys that a model holds are released after a while if it does not return", async () => {
  const api = controlApi({ agents: { longestMs: 3000 } });
  const action = { action: "left_mouse_down", coordinate: [5, 6] };
  const answer = await api.request("POST", "/api/act", { dialect: "anthropic", action });
  assertEquals(await answer.json(), { ok: true, text: "pressed button left" });
  await until(() => api.operator.held().length === 0);
  assertEquals(short(api.desktop.log), ["(5,6)", "+left", "-left"]);
});

Deno.test("keys that a person presses during an agent's steps stay down when the steps end", async () => {
  const desktop = new WatchedDesktop(), api = controlApi({ desktop });
  const actions = [{ tool: "press", key: "ctrl" }, { tool: "wait", ms: 20_000 }];
  const steps = call(api, "do", { actions });
  await until(() => api.operator.held().length === 1);
  await api.operator.press(["button", "left"]);
  desktop.person({ type: "move", x: 9, y: 9 });
  assertStringIncludes(wordsOf(await steps), "a person is using the desktop");
  assertEquals(api.operator.held(), [["button", "left"]]);
});
