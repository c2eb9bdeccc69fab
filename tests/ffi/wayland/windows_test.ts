/** The windows of a real compositor, as far as it lets programs at them. */

import { assertEquals, assertRejects } from "@std/assert";
import type { WindowState } from "../../../control/desktop.ts";
import { Operator } from "../../../control/operator.ts";
import { changeWindow } from "../../../control/windows/change.ts";
import { listWindows, visibleRegion, waitForWindow } from "../../../control/windows/list.ts";
import { StateError } from "../../../core/errors.ts";
import { openWayland } from "../../../ffi/wayland/mod.ts";
import { COMPOSITOR_NAME } from "../../support/compositors.ts";
import { need } from "../../support/need.ts";
import { Sway } from "../../support/sway.ts";

/** What differs between compositors: the state of a new window, and what they do with one. */
const own = COMPOSITOR_NAME === "labwc"
  ? { state: "maximized", minimizes: true } as const
  : { state: "normal", minimizes: false } as const;

/** The loop ends after its test: it is woken to close the connection. */
const options = { ...need("sway", "foot"), sanitizeOps: false, sanitizeResources: false };

Deno.test({ name: "windows are listed, activated, made fullscreen and closed", ...options }, async () => {
  await using sway = await Sway.start();
  const desktop = await openWayland(sway.socket), operator = new Operator(desktop);
  const { signal } = new AbortController();
  const change = (title: string, to: "active" | "closed" | WindowState) =>
    changeWindow(operator, { query: { title }, change: { to }, timeoutMs: 30_000, signal });
  assertEquals(await listWindows(operator), []);
  await using _first = sway.spawn("foot", "-T", "first", "sleep", "1000");
  await waitForWindow(operator, { title: "first" }, false, 60_000, signal);
  await using _second = sway.spawn("foot", "-a", "other", "-T", "second", "sleep", "1000");
  const found = await waitForWindow(operator, { title: "second", active: true }, false, 60_000, signal);
  const { id, ...second } = found!.window!;
  assertEquals(second, {
    ...{ title: "second", class: "other", state: own.state, active: true },
    ...{ x: 0, y: 0, width: 0, height: 0 },
  });
  await change("first", "active");
  const [front, behind] = await listWindows(operator);
  assertEquals([front.title, front.class, front.active, behind.id, behind.active], [
    "first",
    "foot",
    true,
    id,
    false,
  ]);
  assertEquals((await change("first", "fullscreen"))?.state, "fullscreen");
  assertEquals((await change("first", own.state))?.state, own.state);
  if (own.minimizes) assertEquals((await change("first", "minimized"))?.state, "minimized");
  else {await assertRejects(
      () => change("first", "minimized"),
      StateError,
      "does not make this window minimized",
    );}
  await assertRejects(
    () =>
      changeWindow(operator, {
        ...{ query: { title: "first" }, timeoutMs: 1000, signal },
        change: { to: "placed", region: { x: 1 } },
      }),
    StateError,
    "Wayland does not let programs place",
  );
  await assertRejects(
    () => visibleRegion(operator, id, {}),
    StateError,
    "does not tell where its windows are",
  );
  assertEquals(await change("first", "closed"), undefined);
  assertEquals((await listWindows(operator)).map(({ title }) => title), ["second"]);
  desktop.close();
});
