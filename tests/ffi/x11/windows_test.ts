/** Windows where only X11 is so, on a real X server; desktops_windows_test.ts has the rest. */

import { assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import type { WindowChange, WindowInfo } from "../../../control/desktop/desktop.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { changeWindow } from "../../../control/windows/change.ts";
import { StateError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/until.ts";
import { clock, taking } from "../../support/window_desktops.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** Means of a test. */
interface Setting {
  xvfb: Xvfb;
  /** The window manager. */
  process: ReturnType<Xvfb["spawn"]> | undefined;
  list(): Promise<WindowInfo[]>;
  find(title: string): Promise<WindowInfo | undefined>;
  /** Waits until a window is listed; if it never is, the error has the list. */
  listed(title: string): Promise<void>;
  change(title: string, change: WindowChange): Promise<WindowInfo | undefined>;
}

/** Runs a test on an X server of its own, under a window manager if one is named. */
async function withWindows(manager: string | undefined, test: (setting: Setting) => Promise<void>) {
  await using xvfb = await Xvfb.start({ width: 1024, height: 768 });
  await using process = manager ? await xvfb.manager(manager) : undefined;
  const desktop = openX11(xvfb.display), operator = new Operator(desktop);
  try {
    const list = () => desktop.windows!.list();
    await test({
      xvfb,
      process,
      list,
      find: async (title) => (await list()).find((window) => window.title === title),
      listed: async (title) =>
        void await until(list, (windows) => windows.some((one) => one.title === title)),
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

Deno.test({
  name: "a change is not done before the window manager, however busy, has handled it",
  ...need("Xvfb", "openbox", "xdotool", "xev", "xprop"),
}, async () => {
  await withWindows("openbox", async ({ xvfb, list, listed, find, change, process }) => {
    await using _one = taking(xvfb, "one");
    await listed("one");
    await using _two = taking(xvfb, "two");
    await until(async () => (await find("two"))?.active);
    await change("one", { to: "active" });
    // The keyboard stays with the one, and the other comes to the front.
    await xvfb.run("xdotool", "windowraise", String(Number((await find("two"))!.id)));
    await until(async () => (await list())[0].title === "two" && (await find("one"))!.active);

    Deno.kill(process!.pid, "SIGSTOP");
    const activated = change("one", { to: "active" }),
      placed = change("two", { to: "placed", region: { x: 5, y: 6 } });
    let answered = 0;
    for (const change of [activated, placed]) void change.finally(() => answered++);
    await delay(1000); // three times as long as what does not change takes to count as refused
    assertEquals(answered, 0);
    Deno.kill(process!.pid, "SIGCONT");
    const one = await activated, two = await placed;
    assertEquals([one!.active, (await list())[0].title], [true, "one"]);
    assertEquals([two!.x, two!.y], [5, 6]);
  });
});

Deno.test({
  name: "without a window manager windows are listed, activated, placed and closed, and the rest is refused",
  ...need("Xvfb", "xclock", "xterm", "xdotool"),
}, async () => {
  await withWindows(undefined, async ({ xvfb, list, listed, change }) => {
    await using _one = taking(xvfb, "one");
    await listed("one");
    await using _two = clock(xvfb, "two", "200x150+150+150");
    await listed("two");
    await using _old = xvfb.spawn("xterm", "-T", "old € 漢字", "-geometry", "20x5+600+10");
    await listed("old € 漢字");
    const active = (await change("one", { to: "active" }))!;
    assertEquals([active.active, (await list())[0].title], [true, "one"]);
    assertEquals(Number(await xvfb.run("xdotool", "getwindowfocus")), Number(active.id));
    const placed = (await change("one", { to: "placed", region: { x: -50, y: -20, width: 300 } }))!;
    assertEquals([placed.x, placed.y, placed.width, placed.height], [-50, -20, 300, 154]);
    await assertRejects(() => change("one", { to: "maximized" }), StateError, "no window manager runs");
    assertEquals(await change("one", { to: "closed" }), undefined);
  });
});

Deno.test({
  name: "a window manager that was killed is not used, though its properties stay on the root window",
  ...need("Xvfb", "openbox", "xclock", "xev", "xprop"),
}, async () => {
  await withWindows(undefined, async ({ xvfb, list, listed, change }) => {
    await using _one = clock(xvfb, "one");
    await listed("one");
    {
      await using _manager = await xvfb.manager("openbox"); // ended by SIGKILL
      await until(async () => (await xvfb.run("xprop", "-root", "_NET_CLIENT_LIST")).includes("0x"));
    }
    await until(async () => (await list()).some(({ title }) => title === "one"));
    await assertRejects(() => change("one", { to: "minimized" }), StateError, "no window manager runs");
  });
});

Deno.test({
  name: "panels, the desktop and windows that taskbars and pagers leave out are not listed",
  ...need("Xvfb", "openbox", "xclock", "xev", "xprop", "wmctrl"),
}, async () => {
  await withWindows("openbox", async ({ xvfb, list, listed }) => {
    await using _one = clock(xvfb, "one");
    await listed("one");
    const rows = [
      [
        "panel",
        "xprop",
        "-f",
        "_NET_WM_WINDOW_TYPE",
        "32a",
        "-set",
        "_NET_WM_WINDOW_TYPE",
        "_NET_WM_WINDOW_TYPE_DOCK",
      ],
      [
        "back",
        "xprop",
        "-f",
        "_NET_WM_WINDOW_TYPE",
        "32a",
        "-set",
        "_NET_WM_WINDOW_TYPE",
        "_NET_WM_WINDOW_TYPE_DESKTOP",
      ],
      ["left out", "wmctrl", "-b", "add,skip_taskbar,skip_pager", "-r", "left out"],
    ];
    for (const [title, program, ...args] of rows) {
      await using _other = clock(xvfb, title);
      await listed(title);
      await xvfb.run(program, ...(program === "xprop" ? ["-name", title] : []), ...args);
      await until(async () => (await list()).length === 1);
      assertEquals((await list())[0].title, "one");
      assertEquals((await list()).map(({ title }) => title), ["one"]);
    }
  });
});

Deno.test({
  name: "a list that is asked for again and again shows each change of its windows",
  ...need("Xvfb", "openbox", "xdotool", "xev", "xclock"),
}, async () => {
  await withWindows(undefined, async ({ xvfb, list }) => {
    /** The list of a desktop that has not listed before. */
    const fresh = async () => {
      const desktop = openX11(xvfb.display);
      try {
        return await desktop.windows!.list();
      } finally {
        desktop.close();
      }
    };
    let before = "";
    const changes = async () => {
      await until(async () => {
        const known = JSON.stringify(await list()), now = JSON.stringify(await fresh());
        if (known !== now || now === before) return false;
        before = now;
        return true;
      });
      // From here on the list is kept; a manager that starts may tell no windows at first.
      await until(async () => JSON.stringify(await list()) === JSON.stringify(await list()));
    };
    const one = clock(xvfb, "one");
    await changes();
    {
      await using _manager = await xvfb.manager("openbox"); // ended by SIGKILL
      await changes();
      await using _two = taking(xvfb, "two");
      await changes();
      const id = String(Number((await list()).find(({ title }) => title === "one")!.id));
      for (
        const change of [
          ["windowmove", id, "300", "200"],
          ["windowsize", id, "222", "111"],
          ["set_window", "--name", "renamed", id],
          ["windowactivate", id],
          ["windowminimize", id],
          ["windowactivate", id],
        ]
      ) {
        await xvfb.run("xdotool", ...change);
        await changes();
      }
      await one[Symbol.asyncDispose]();
      await changes();
    }
    await changes(); // without the manager's frame
  });
});
