/** A person has priority. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { controlApi } from "../../support/control.ts";
import { call, wordsOf } from "../../support/agent_tools.ts";
import { until } from "../../support/shell.ts";
import { WatchedDesktop } from "../../support/window_desktops.ts";

const CLICK = { x: 1, y: 1 };
const IN_USE = "a person is using the desktop";
const ESCAPE = (down: boolean) => ({ type: "key", key: "escape", down }) as const;

Deno.test("after a person's input agents may only look until three seconds have passed", async () => {
  const api = controlApi({ desktop: new WatchedDesktop() });
  assertEquals((await call(api, "click", CLICK)).isError, undefined);
  const at = performance.now();
  api.desktop.person({ type: "move", x: 9, y: 9 });
  const refused = await call(api, "click", CLICK);
  assertEquals(refused.isError, true);
  assertStringIncludes(wordsOf(refused), IN_USE);
  assertEquals((await call(api, "screenshot")).isError, undefined);
  await until(async () => (await call(api, "move", CLICK)).isError, (isError) => !isError);
  assert(performance.now() - at >= 3000);
});

Deno.test("a person's input aborts an agent's action, and releases what it holds", async () => {
  const api = controlApi({ desktop: new WatchedDesktop() });
  const holding = call(api, "key", { keys: "ctrl+a", hold_ms: 10_000 });
  await until(() => api.operator.held().length === 2);
  api.desktop.person({ type: "move", x: 9, y: 9 });
  assertStringIncludes(wordsOf(await holding), IN_USE);
  assertEquals(api.operator.held(), []);
});

Deno.test("Escape held for a second stops agents until they are allowed again", async () => {
  const api = controlApi({ desktop: new WatchedDesktop() });
  await call(api, "click", CLICK);
  api.desktop.person(ESCAPE(true));
  api.desktop.person(ESCAPE(true)); // as a repeating key
  await until(async () => (await (await api.request("GET", "/api/agents")).json()).allowed === false);
  api.desktop.person(ESCAPE(false));
  assertStringIncludes(wordsOf(await call(api, "click", CLICK)), "a person stopped the agents");
  assertEquals((await api.request("POST", "/api/agents", { allowed: true })).status, 200);
  assertStringIncludes(wordsOf(await call(api, "click", CLICK)), IN_USE);
});

Deno.test("Escape held stops agents even if key repeat sends releases in between", async () => {
  const api = controlApi({ desktop: new WatchedDesktop() });
  await call(api, "click", CLICK);
  const at = performance.now();
  await until(async () => {
    api.desktop.person(ESCAPE(false));
    api.desktop.person(ESCAPE(true));
    return (await (await api.request("GET", "/api/agents")).json()).allowed === false;
  });
  assert(performance.now() - at >= 1000);
});

Deno.test("a short Escape does not stop agents", async () => {
  const api = controlApi({ desktop: new WatchedDesktop() });
  await call(api, "click", CLICK);
  api.desktop.person(ESCAPE(true));
  api.desktop.person(ESCAPE(false));
  await until(async () => (await call(api, "click", CLICK)).isError, (isError) => !isError);
});

Deno.test("stopping agents over HTTP aborts their actions", async () => {
  const api = controlApi();
  const waiting = call(api, "key", { keys: "a", hold_ms: 10_000 });
  await until(() => api.operator.held().length === 1);
  assertEquals(await (await api.request("GET", "/api/agents")).json(), {
    allowed: true,
    at_work: true,
    client: "unknown",
    tool: "key",
  });
  await api.request("POST", "/api/agents", { allowed: false });
  assertStringIncludes(wordsOf(await waiting), "a person stopped the agents");
  assertEquals(api.operator.held(), []);
});
