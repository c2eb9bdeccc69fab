/** Other programs' windows: notepads, one of which does not respond. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { WindowChange, WindowInfo } from "../../control/desktop/desktop.ts";
import { Operator } from "../../control/operator/operator.ts";
import { changeWindow } from "../../control/windows/change.ts";
import { NotFoundError, StateError, TimeLimitError } from "../../core/errors.ts";
import { openWindows, type WindowsDesktop } from "../../ffi/windows/mod.ts";
import { openLibraries } from "../../ffi/windows/symbols.ts";
import { isResponsive } from "../../ffi/windows/windows.ts";
import { run } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { Notepad, OwnWindows } from "./dialog_program.ts";
import { openReference } from "./witness.ts";

/** A test's tools. */
interface Setting extends Disposable {
  list(): Promise<WindowInfo[]>;
  find(title: string): Promise<WindowInfo | undefined>;
  change(title: string, change: WindowChange, timeoutMs?: number): Promise<WindowInfo | undefined>;
  desktop: WindowsDesktop;
}

function openSetting(): Setting {
  const desktop = openWindows(), operator = new Operator(desktop);
  const list = () => desktop.windows.list();
  return {
    desktop,
    list,
    find: async (title) => (await list()).find((window) => window.title === title),
    change: (title, change, timeoutMs = 10_000) =>
      changeWindow(operator, {
        query: { title },
        change,
        timeoutMs,
        signal: new AbortController().signal,
      }),
    [Symbol.dispose]: () => desktop.close(),
  };
}

const bounds = ({ x, y, width, height }: WindowInfo) => [x, y, width, height];

Deno.test("every window change is complete when it returns, and Windows agrees", async () => {
  using setting = openSetting();
  using reference = openReference();
  const { list, find, change } = setting;
  await using one = await Notepad.open("one äö 漢字");
  await using two = await Notepad.open("two");
  await until(async () => await find(one.title) && await find(two.title));
  assertEquals([(await find(one.title))!.class, (await find(one.title))!.pid], ["Notepad", one.pid]);

  for (const { title } of [one, two, one]) {
    const active = (await change(title, { to: "active" }))!;
    assertEquals([active.title, active.active], [title, true]);
    assertEquals(reference.foreground(), BigInt(active.id));
    // On a busy machine Wine raises it a moment later.
    await until(async () => (await list())[0].title, (first) => first === title);
  }

  for (
    const region of [{ x: 60, y: 70, width: 320, height: 240 }, { x: -50, y: 30, width: 501, height: 333 }]
  ) {
    const placed = (await change(one.title, { to: "placed", region }))!;
    assertEquals(bounds(placed), Object.values(region));
    assertEquals(reference.rectangle(BigInt(placed.id)), Object.values(region));
  }
  assertEquals(bounds((await change(one.title, { to: "placed", region: { y: 99 } }))!), [-50, 99, 501, 333]);

  const zoomed = (await change(one.title, { to: "maximized" }))!;
  assertEquals([zoomed.state, reference.isMaximized(BigInt(zoomed.id))], ["maximized", true]);
  assertEquals((await change(one.title, { to: "minimized" }))!.state, "minimized");
  assert(reference.isMinimized(BigInt(zoomed.id)));
  // It had been maximized before.
  assertEquals((await change(one.title, { to: "normal" }))!.state, "maximized");
  assertEquals((await change(one.title, { to: "normal" }))!.state, "normal");
  await until(async () => String(bounds((await find(one.title))!)) === "-50,99,501,333");
  await change(one.title, { to: "minimized" });
  const restored = (await change(one.title, { to: "active" }))!;
  assertEquals([restored.state, restored.active], ["normal", true]);

  await change(one.title, { to: "maximized" });
  await change(one.title, { to: "minimized" });
  const placed = (await change(one.title, { to: "placed", region: { x: 10, width: 400 } }))!;
  assertEquals([placed.state, ...bounds(placed)], ["normal", 10, 99, 400, 333]);

  await assertRejects(
    () => change(two.title, { to: "fullscreen" }),
    StateError,
    "Windows does not let other programs make a window fullscreen",
  );
  assertEquals(await change(two.title, { to: "closed" }), undefined);
  await two.ended();
  assertEquals(await find(two.title), undefined);
  await assertRejects(() => change(two.title, { to: "active" }), NotFoundError, "no window matches title");
});

Deno.test("lists only windows that a user can switch to", async () => {
  using setting = openSetting();
  using own = new OwnWindows();
  const window = own.create("plain");
  own.create("tool", { tool: true });
  own.create("hidden", { hidden: true });
  own.create("without a title bar", { caption: false });
  own.create("dialog", { owner: window });
  own.create("menu", { owner: window, caption: false });
  own.create("application", { owner: window, caption: false, application: true });
  const titles = (await setting.list()).map(({ title }) => title).sort();
  assertEquals(titles, ["application", "dialog", "plain", "without a title bar"]);
});

Deno.test("a minimized window has its restored bounds", async () => {
  using setting = openSetting();
  using own = new OwnWindows(); // Wine reports them only for windows of the same process
  own.minimize(own.create("minimized", { x: 30, y: 40, width: 300, height: 200 }));
  const minimized = (await setting.find("minimized"))!;
  assertEquals([minimized.state, ...bounds(minimized)], ["minimized", 30, 40, 300, 200]);
});

Deno.test("lists a program that does not respond, and is not blocked by it", async () => {
  using setting = openSetting();
  const { list, find, change } = setting;
  await using stopped = await Notepad.open("stopped");
  await using other = await Notepad.open("other");
  await until(async () => await find(stopped.title) && await find(other.title));
  await change(stopped.title, { to: "active" });
  await change(other.title, { to: "active" });
  const window = (await find(stopped.title))!, before = bounds(window);
  // Windows considers a window in front immediately if its program has not noticed that another has come
  // there.
  assert(await isResponsive(openLibraries().user32, BigInt(window.id), 30_000));
  stopped.suspend();

  for (const to of ["minimized", "maximized", "closed"] as const) {
    await assertRejects(
      () => change(stopped.title, { to }, 300),
      TimeLimitError,
      `the window is not ${to} after 300 ms; it is normal`,
    );
  }
  const kept = (await change(stopped.title, { to: "placed", region: { x: 1, y: 2 } }))!;
  assertEquals(bounds(kept), before);
  await assertRejects(
    () => change(stopped.title, { to: "active" }),
    StateError,
    "cannot bring the window to the front: its program is not responding",
  );
  const times: number[] = [];
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    await list();
    times.push(performance.now() - start);
  }
  assert(Math.min(...times) < 250, `listing waits for the program: ${times}`); // a busy machine delays some
  const moved = (await change(other.title, { to: "placed", region: { x: 300, y: 200 } }))!;
  assertEquals(bounds(moved).slice(0, 2), [300, 200]);

  stopped.resume(); // now it handles the requests
  await stopped.ended();
});

Deno.test("a program that stops while it is in front does not block the others", async () => {
  using setting = openSetting();
  const { find, change } = setting;
  await using stopped = await Notepad.open("stopped");
  await using other = await Notepad.open("other");
  await until(async () => await find(stopped.title) && await find(other.title));
  await change(stopped.title, { to: "active" });
  stopped.suspend();
  assertEquals((await change(other.title, { to: "active" }))!.active, true);
  assertEquals((await change(other.title, { to: "maximized" }))!.state, "maximized");
  assertEquals(await change(other.title, { to: "closed" }), undefined);
});

Deno.test("a dialog is a separate window that its owner waits for", async () => {
  using setting = openSetting();
  using reference = openReference();
  const { desktop, list, find, change } = setting;
  await using notepad = await Notepad.open("unsaved");
  const owner = await until(() => find(notepad.title));
  await change(notepad.title, { to: "active" });
  const text = "text that is not saved";
  await desktop.keyboard.type(text);
  // A close request overtakes pending keys.
  await until(() => reference.editedLength(BigInt(owner!.id)) >= text.length);
  await assertRejects(
    () => change(notepad.title, { to: "closed" }, 3000),
    TimeLimitError,
    "the window is not closed after 3000 ms; it is normal",
  );
  const dialogNow = async () => (await list()).find(({ id, pid }) => pid === owner!.pid && id !== owner!.id);
  const dialog = (await until(dialogNow, (dialog) => dialog?.active === true))!;
  assertEquals(dialog.state, "normal");
  await until(async () => !(await find(notepad.title))!.active);
  await assertRejects(
    () => change(notepad.title, { to: "active" }),
    StateError,
    `the window is waiting for its dialog ${dialog.id} titled ${JSON.stringify(dialog.title)}`,
  );
  const over = async () => await desktop.windows.dialogOver((await find(notepad.title))!);
  assertEquals(await over(), { id: dialog.id, title: dialog.title });
  await desktop.keyboard.key("escape", true);
  await desktop.keyboard.key("escape", false);
  await until(async () => !(await list()).some(({ id }) => id === dialog.id));
  assertEquals(await over(), undefined);
  assertEquals((await change(notepad.title, { to: "active" }))!.active, true);
});

Deno.test("the prompt lists and changes windows, and says why Windows cannot do something", async () => {
  using setting = openSetting();
  await using notepad = await Notepad.open("prompt");
  await until(() => setting.find(notepad.title));
  const { code, stdout, stderr } = await run([
    "--desktop",
    "windows",
    "-c",
    "place prompt.txt 40-50 500x300; win prompt.txt; full prompt.txt",
  ]);
  assertEquals(code, 1);
  assertMatch(stdout, /^. 0x[0-9a-f]+ normal 500x300\+40\+50 Notepad prompt\.txt - Notepad$/m);
  assertMatch(stderr, /Windows does not let other programs make a window fullscreen/);
});
