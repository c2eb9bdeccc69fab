/**
 * Windows: the same calls have the same effects under each window manager and compositor of the table, unless
 * it forbids them to programs.
 */

import { assert, assertEquals, assertInstanceOf, assertMatch, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import type { WindowChange, WindowInfo } from "../../control/desktop/desktop.ts";
import { Operator } from "../../control/operator/operator.ts";
import { changeWindow } from "../../control/windows/change.ts";
import { listWindows, waitForWindow, windowPart } from "../../control/windows/list.ts";
import { NotFoundError, StateError } from "../../core/errors.ts";
import { until } from "../support/shell.ts";
import { WINDOW_DESKTOPS, type WindowDesktop, type WindowRow } from "../support/window_desktops.ts";

/** The second window's title. */
const OTHER = "two – 漢字 €";
const { signal } = new AbortController();

/** The event loop ends after its test: it is woken to close the connection. */
const options = { sanitizeOps: false, sanitizeResources: false };

for (const row of WINDOW_DESKTOPS) {
  Deno.test({
    name: `${row.name}: every window change is complete when it returns, and others see it`,
    ...row.needs,
    ...options,
  }, async (t) => {
    await using system = await row.start();
    const { desktop } = system, operator = new Operator(desktop);
    const change = changerOf(operator), list = () => listWindows(operator);
    const titled = async (title: string) => (await list()).find((window) => window.title === title)!;
    assertEquals(await list(), []);
    await using _one = system.window("one");
    await waitForWindow(operator, { title: "one" }, false, 60_000, signal);
    await using other = system.other(OTHER);
    const query = { title: OTHER, ...(row.otherIsActive ? { active: true } : {}) };
    await waitForWindow(operator, query, false, 60_000, signal);
    await t.step("describes a window", async () => {
      const window = await titled(OTHER);
      assertEquals([window.class, window.state], [row.otherClass, row.newState]);
      assertEquals(window.pid ?? other.pid, other.pid);
      if (row.places === true || !row.places.look) return;
      assertEquals([window.x, window.y, window.width, window.height], [0, 0, 0, 0]);
    });
    await t.step("activates a window", async () => {
      const active = await change("one", { to: "active" }), [front, behind] = await list();
      assertEquals([active!.active, front.id, front.active, behind.active], [true, active!.id, true, false]);
      assertEquals(await system.active(), "one");
    });
    await t.step("places a window", () => placing(row, operator));
    await t.step("sets each state", () => states(row, system, operator));
    await t.step("activates a window that takes no focus", async () => {
      await change(OTHER, { to: "active" });
      assertEquals((await list())[0].title, OTHER);
    });
    await t.step("types no text into a window that becomes active meanwhile", async () => {
      await change("one", { to: "active" });
      await using later = new AsyncDisposableStack();
      const typing = operator.type("x".repeat(1_000_000)).then(() => "typed", (error) => error);
      const error = await until(async () => { // the first may come before the windows are watched
        later.use(await system.window("later"));
        return await Promise.race([typing, delay(500)]);
      });
      assertInstanceOf(error, StateError);
      assertMatch(
        error.message,
        /^"later" became active instead of "(one|later)" during typing: the rest .* was not typed/,
      );
    });
    await until(async () => (await list()).length === 2);
    await t.step("closes a window", async () => {
      assertEquals(await change("one", { to: "closed" }), undefined);
      await until(async () => !await system.isListed("one"));
      assertEquals((await list()).map(({ title }) => title), [OTHER]);
      const gone = 'no window matches title "one"';
      await assertRejects(() => change("one", { to: "active" }), NotFoundError, gone);
    });
    await t.step("lists windows while others come and go", () => comeAndGo(system, operator));
  });
}

/** @returns A function that changes a window and waits for the change. */
function changerOf(operator: Operator) {
  return (title: string, change: WindowChange) =>
    changeWindow(operator, { query: { title }, change, timeoutMs: 30_000, signal });
}

/** Checks that a window has a place, or one further right and down by at most `frame` pixels. */
function assertPlace({ x, y }: WindowInfo, place: number[], { frame = 0 }: WindowRow): void {
  assertEquals([x, y].map((at, i) => at > place[i] && at <= place[i] + frame ? place[i] : at), place);
}

async function placing(row: WindowRow, operator: Operator): Promise<void> {
  const change = changerOf(operator), { places } = row;
  if (places !== true) {
    const { id } = (await listWindows(operator))[0];
    const placed = () => change("one", { to: "placed", region: { x: 1 } });
    await assertRejects(placed, StateError, places.place);
    if (places.look) await assertRejects(() => windowPart(operator, id, {}), StateError, places.look);
    else assert((await windowPart(operator, id, {})).region.width > 100);
    return;
  }
  for (const [x, y, width, height] of [[60, 70, 320, 240], [300, 200, 201, 151]]) {
    const placed = (await change("one", { to: "placed", region: { x, y, width, height } }))!;
    assertPlace(placed, [x, y], row);
    assertEquals([placed.width, placed.height], [width, height]);
  }
  if (row.frame) return;
  // Bounds that are read and set again do not change.
  for (const { title, x, y, width, height } of await listWindows(operator)) {
    const again = (await change(title, { to: "placed", region: { x, y, width, height } }))!;
    assertEquals([again.x, again.y, again.width, again.height], [x, y, width, height], title);
  }
}

async function states(row: WindowRow, system: WindowDesktop, operator: Operator): Promise<void> {
  const change = changerOf(operator);
  for (const state of row.states) {
    assertEquals((await change("one", { to: state }))!.state, state);
    // X11 window managers write two properties of a minimized window, one after the other.
    if (state === "minimized") await until(() => system.state("one"), (seen) => seen === state);
    else assertEquals(await system.state("one"), state);
    if (state === "minimized") {
      const restored = await change("one", { to: "active" });
      assertEquals([restored!.state, restored!.active], [row.newState, true]);
    } else assertEquals((await change("one", { to: row.newState }))!.state, row.newState);
    if (row.places !== true) continue;
    const placed = (await change("one", { to: "placed", region: { x: 60, y: 70 } }))!;
    assertEquals(placed.state, "normal");
    assertPlace(placed, [60, 70], row);
  }
  for (const [state, message] of row.refused) {
    await assertRejects(() => change("one", { to: state }), StateError, message);
    assertEquals(await system.state("one"), row.newState);
  }
}

/** Lists windows repeatedly while some come and go: no call fails, and each lists the windows that stay. */
async function comeAndGo(system: WindowDesktop, operator: Operator): Promise<void> {
  const titles = async () => (await listWindows(operator)).map(({ title }) => title);
  for (let round = 0; round < 12; round++) {
    await using _going = system.other(`going ${round}`);
    await until(titles, (all) => all.includes(`going ${round}`));
    for (let i = 0; i < 30; i++) assert((await titles()).includes(OTHER));
  }
  for (let i = 0; i < 100; i++) assert((await titles()).includes(OTHER));
  await until(titles, (all) => all.length === 1);
}
