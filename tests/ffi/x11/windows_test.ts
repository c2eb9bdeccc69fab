/** Windows of a real X server, under several window managers and without one; wmctrl, xprop and xdotool watch. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import type { WindowChange, WindowInfo } from "../../../control/desktop.ts";
import { Operator } from "../../../control/operator.ts";
import { changeWindow } from "../../../control/windows/change.ts";
import { NotFoundError, StateError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/until.ts";
import { Xvfb } from "../../support/xvfb.ts";

const MANAGERS = ["openbox", "metacity"];

/** What a test works with. */
interface Setting {
  xvfb: Xvfb;
  /** The window manager. */
  process: ReturnType<Xvfb["spawn"]> | undefined;
  list(): WindowInfo[];
  find(title: string): WindowInfo | undefined;
  change(title: string, change: WindowChange): Promise<WindowInfo | undefined>;
}

/** Runs a test on an X server of its own, under a window manager if one is named. */
async function withWindows(manager: string | undefined, test: (setting: Setting) => Promise<void>) {
  await using xvfb = await Xvfb.start({ width: 1024, height: 768 });
  await using process = manager ? xvfb.spawn(manager) : undefined;
  if (manager) {
    await until(async () => (await xvfb.run("xprop", "-root", "_NET_SUPPORTING_WM_CHECK")).includes("0x"));
  }
  const desktop = openX11(xvfb.display), operator = new Operator(desktop);
  try {
    const list = () => desktop.windows!.list() as WindowInfo[];
    if (manager) await managing(xvfb, list);
    await test({
      xvfb,
      process,
      list,
      find: (title) => list().find((window) => window.title === title),
      change: (title, change) =>
        changeWindow(operator, {
          query: { title },
          change,
          timeoutMs: 10_000,
          signal: new AbortController().signal,
        }),
    });
  } finally {
    desktop.close();
  }
}

/** Waits until the manager takes new windows: while it starts, it overlooks some for good. */
async function managing(xvfb: Xvfb, list: () => WindowInfo[]): Promise<void> {
  const isListed = () => list().some(({ title }) => title === "first");
  await until(async () => {
    await using _first = clock(xvfb, "first");
    for (let i = 0; i < 50 && !isListed(); i++) await delay(20);
    return isListed();
  });
  await until(() => !isListed());
}

/** A window that takes the keyboard. */
const taking = (xvfb: Xvfb, title: string) =>
  xvfb.spawn("xev", "-name", title, "-geometry", "200x150+100+120", "-event", "property");

/** A window that does not (ICCCM section 4.1.7, "No Input"). */
const clock = (xvfb: Xvfb, title: string, geometry = "200x150+100+120") =>
  xvfb.spawn("xclock", "-title", title, "-geometry", geometry);

for (const manager of MANAGERS) {
  Deno.test({
    name: `under ${manager} every change of a window is done when it answers, and others see it`,
    ...need("Xvfb", manager, "xclock", "wmctrl", "xprop", "xdotool"),
  }, async () => {
    await withWindows(manager, async ({ xvfb, list, find, change }) => {
      await using _one = taking(xvfb, "one");
      await until(() => find("one"));
      await using two = clock(xvfb, "two – 漢字 €", "200x150+500+320");
      await until(() => find("two – 漢字 €"));
      assertEquals(find("two – 漢字 €")!.class, "XClock");
      assertEquals(find("two – 漢字 €")!.pid ?? two.pid, two.pid);

      const active = await change("one", { to: "active" });
      assertEquals([active!.active, list()[0].title], [true, "one"]);
      const focused = Number(await xvfb.run("xdotool", "getactivewindow"));
      assertEquals(`0x${focused.toString(16)}`, active!.id);

      for (const [x, y, width, height] of [[60, 70, 320, 240], [300, 200, 201, 151]]) {
        const placed = (await change("one", { to: "placed", region: { x, y, width, height } }))!;
        assertEquals([placed.x, placed.y, placed.width, placed.height], [x, y, width, height]);
      }
      // Bounds that are read and set again stay the same.
      for (const { title, x, y, width, height } of list()) {
        const again = (await change(title, { to: "placed", region: { x, y, width, height } }))!;
        assertEquals([again.x, again.y, again.width, again.height], [x, y, width, height], title);
      }

      const state = async (title: string) =>
        (await xvfb.run("xprop", "-name", title, "_NET_WM_STATE")).trim();
      assertEquals((await change("one", { to: "maximized" }))!.state, "maximized");
      assert(/MAXIMIZED_HORZ.*MAXIMIZED_VERT|MAXIMIZED_VERT.*MAXIMIZED_HORZ/.test(await state("one")));
      assertEquals((await change("one", { to: "normal" }))!.state, "normal");
      assertEquals((await change("one", { to: "fullscreen" }))!.state, "fullscreen");
      assert((await state("one")).includes("FULLSCREEN"));
      await change("one", { to: "normal" });
      const placed = (await change("one", { to: "placed", region: { x: 60, y: 70 } }))!;
      assertEquals([placed.state, placed.x, placed.y], ["normal", 60, 70]);
      assertEquals((await change("one", { to: "minimized" }))!.state, "minimized");
      // Managers write two properties of it, one after the other.
      await until(async () => (await xvfb.run("xprop", "-name", "one", "WM_STATE")).includes("Iconic"));
      const restored = await change("one", { to: "active" });
      assertEquals([restored!.state, restored!.active], ["normal", true]);

      await change("two – 漢字 €", { to: "active" }); // which takes no keyboard
      assertEquals(list()[0].title, "two – 漢字 €");

      assertEquals(await change("one", { to: "closed" }), undefined);
      // wmctrl fails where a window goes away while it lists.
      await until(async () => !(await xvfb.run("wmctrl", "-l").catch(() => "one")).includes("one"));
      assertEquals(list().map(({ title }) => title), ["two – 漢字 €"]);
      await assertRejects(
        () => change("one", { to: "active" }),
        NotFoundError,
        'no window has a title with "one"',
      );
    });
  });
}

Deno.test({
  name: "a change is not done before the window manager, however busy, has handled it",
  ...need("Xvfb", "openbox", "xdotool"),
}, async () => {
  await withWindows("openbox", async ({ xvfb, list, find, change, process }) => {
    await using _one = taking(xvfb, "one");
    await until(() => find("one"));
    await using _two = taking(xvfb, "two");
    await until(() => find("two")?.active);
    await change("one", { to: "active" });
    // The keyboard stays with the one, and the other comes to the front.
    await xvfb.run("xdotool", "windowraise", String(Number(find("two")!.id)));
    await until(() => list()[0].title === "two" && find("one")!.active);

    Deno.kill(process!.pid, "SIGSTOP");
    const activated = change("one", { to: "active" }),
      placed = change("two", { to: "placed", region: { x: 5, y: 6 } });
    let answered = 0;
    for (const change of [activated, placed]) void change.finally(() => answered++);
    await delay(1000); // three times as long as what does not change takes to count as refused
    assertEquals(answered, 0);
    Deno.kill(process!.pid, "SIGCONT");
    const one = await activated, two = await placed;
    assertEquals([one!.active, list()[0].title], [true, "one"]);
    assertEquals([two!.x, two!.y], [5, 6]);
  });
});

Deno.test({
  name: "without a window manager windows are listed, activated, placed and closed, and the rest is refused",
  ...need("Xvfb", "xclock", "xterm", "xdotool"),
}, async () => {
  await withWindows(undefined, async ({ xvfb, list, find, change }) => {
    await using _one = taking(xvfb, "one");
    await until(() => find("one"));
    await using _two = clock(xvfb, "two", "200x150+150+150");
    await until(() => find("two"));
    await using _old = xvfb.spawn("xterm", "-T", "old € 漢字", "-geometry", "20x5+600+10");
    await until(() => find("old € 漢字"));
    const active = (await change("one", { to: "active" }))!;
    assertEquals([active.active, list()[0].title], [true, "one"]);
    assertEquals(Number(await xvfb.run("xdotool", "getwindowfocus")), Number(active.id));
    const placed = (await change("one", { to: "placed", region: { x: -50, y: -20, width: 300 } }))!;
    assertEquals([placed.x, placed.y, placed.width, placed.height], [-50, -20, 300, 154]);
    await assertRejects(() => change("one", { to: "maximized" }), StateError, "no window manager runs");
    assertEquals(await change("one", { to: "closed" }), undefined);
  });
});

Deno.test({
  name: "a window manager that was killed counts no more, whatever it left on the root window",
  ...need("Xvfb", "openbox", "xclock"),
}, async () => {
  await withWindows(undefined, async ({ xvfb, list, find, change }) => {
    await using _one = clock(xvfb, "one");
    await until(() => find("one"));
    {
      await using _manager = xvfb.spawn("openbox"); // ended by SIGKILL
      await until(async () => (await xvfb.run("xprop", "-root", "_NET_CLIENT_LIST")).includes("0x"));
    }
    await until(() => list().some(({ title }) => title === "one"));
    await assertRejects(() => change("one", { to: "minimized" }), StateError, "no window manager runs");
  });
});

Deno.test({
  name: "windows that come and go while they are listed are left out, and nothing fails",
  ...need("Xvfb", "openbox", "xclock"),
}, async () => {
  await withWindows("openbox", async ({ xvfb, list, find }) => {
    await using _stays = clock(xvfb, "stays");
    await until(() => find("stays"));
    let listed = 0;
    for (let round = 0; round < 12; round++) {
      await using _going = clock(xvfb, `going ${round}`);
      await until(() => {
        listed += list().length;
        return find(`going ${round}`);
      });
      for (let i = 0; i < 30; i++) assert(list().some(({ title }) => title === "stays"));
    }
    for (let i = 0; i < 100; i++) assert(list().some(({ title }) => title === "stays"));
    assert(listed > 12);
  });
});
