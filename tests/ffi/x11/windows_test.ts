/** X11-specific window behavior, on a real X server; desktops_windows_test.ts tests the rest. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { delay } from "@std/async/delay";
import type { Step, WindowChange, WindowInfo } from "../../../control/desktop/desktop.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { playSteps } from "../../../control/recording/playback.ts";
import { changeWindow } from "../../../control/windows/change.ts";
import { windowPart } from "../../../control/windows/list.ts";
import { StateError } from "../../../core/errors.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { WINDOW_ATOMS, type WindowAtoms, type WindowManager } from "../../../ffi/x11/window_rows.ts";
import { ManagerFence } from "../../../ffi/x11/windows.ts";
import { createOwnWindow, WINDOW_CLASS, XcbConnection } from "../../../ffi/x11/xcb_connection.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";
import { clock, taking } from "../../support/window_desktops.ts";
import { Xvfb } from "../../support/xvfb.ts";

/** A test's tools. */
interface Setting {
  xvfb: Xvfb;
  operator: Operator;
  /** The window manager. */
  process: ReturnType<Xvfb["spawn"]> | undefined;
  list(): Promise<WindowInfo[]>;
  find(title: string): Promise<WindowInfo | undefined>;
  /** Waits until a window is listed; otherwise the error contains the list. */
  listed(title: string): Promise<void>;
  change(title: string, change: WindowChange): Promise<WindowInfo | undefined>;
}

/** Runs a test on a separate X server, under a window manager if one is named. */
async function withWindows(manager: string | undefined, test: (setting: Setting) => Promise<void>) {
  await using xvfb = await Xvfb.start({ width: 1024, height: 768 });
  await using process = manager ? await xvfb.manager(manager) : undefined;
  const desktop = openX11(xvfb.display), operator = new Operator(desktop);
  try {
    const list = () => desktop.windows!.list();
    await test({
      xvfb,
      operator,
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
  name: "a change completes only after the window manager, however busy, has handled it",
  ...need("Xvfb", "openbox", "xdotool", "xev", "xprop"),
}, async () => {
  await withWindows("openbox", async ({ xvfb, operator, list, listed, find, change, process }) => {
    await using _one = taking(xvfb, "one");
    await listed("one");
    await using _two = taking(xvfb, "two");
    await until(async () => (await find("two"))?.active);
    using watch = operator.desktop.windows!.watchActive!();
    await watch!.changed(0); // discards a window that became active while the watch began
    assertEquals(await watch!.changed(50), false);
    await change("one", { to: "active" });
    assertEquals(await watch!.changed(5000), true);
    const kept = (await find("one"))!, taken: string[] = [];
    {
      using _back = operator.desktop.windows!.watchActive!(({ id, title, at }) => {
        if (id === kept.id) return undefined;
        taken.push(title);
        return at > 0 ? kept : undefined;
      });
      await xvfb.run("xdotool", "windowactivate", (await find("two"))!.id);
      await until(async () => taken.length > 0 && (await find("one"))!.active);
      assertEquals(new Set(taken), new Set(["two"]));
    }
    // One window keeps the focus, and the other comes to the front.
    await xvfb.run("xdotool", "windowraise", String(Number((await find("two"))!.id)));
    await until(async () => (await list())[0].title === "two" && (await find("one"))!.active);

    Deno.kill(process!.pid, "SIGSTOP");
    const activated = change("one", { to: "active" }),
      placed = change("two", { to: "placed", region: { x: 5, y: 6 } });
    let answered = 0;
    for (const change of [activated, placed]) void change.finally(() => answered++);
    await delay(1000); // three times as long as until an unchanged window counts as a refusal
    assertEquals(answered, 0);
    Deno.kill(process!.pid, "SIGCONT");
    const one = await activated, two = await placed;
    assertEquals([one!.active, (await list())[0].title], [true, "one"]);
    assertEquals([two!.x, two!.y], [5, 6]);
  });
});

Deno.test({
  name: "keys after a click reach the clicked window, however late the window manager focuses it",
  ...need("Xvfb", "openbox", "xdotool", "xev", "xprop"),
}, async () => {
  await withWindows("openbox", async ({ xvfb, operator, listed, find, change, process }) => {
    await using one = xvfb.spawn("xev", "-name", "one", "-event", "keyboard");
    await listed("one");
    await change("one", { to: "placed", region: { x: 500, y: 300 } });
    await using two = xvfb.spawn("xev", "-name", "two", "-event", "keyboard");
    await until(async () => (await find("two"))?.active);
    const { x, y, width, height } = (await find("one"))!;
    const middle = { x: x + (width >> 1), y: y + (height >> 1) };
    const clock = {
      now: () => performance.now(),
      sleepUntil: (time: number) => delay(Math.max(0, time - performance.now())).then(() => true),
    };
    const steps: Step[] = [
      { at: 0, action: { type: "button", button: "left", down: true, ...middle } },
      { at: 20, action: { type: "button", button: "left", down: false, ...middle } },
      { at: 21, action: { type: "key", key: "a", down: true } },
      { at: 22, action: { type: "key", key: "a", down: false } },
    ];
    const click = () => operator.click(middle, "left"), none = () => Promise.resolve();
    for (
      const [before, press] of [
        [click, () => operator.type("a")],
        [click, () => operator.press(["key", "a"])],
        [none, () => playSteps(operator.desktop, steps, 1, clock)],
      ]
    ) {
      await change("two", { to: "active" });
      one.printed = "";
      Deno.kill(process!.pid, "SIGSTOP");
      await before();
      let isTyped = false;
      const typed = press().then(() => isTyped = true);
      await delay(300); // as on a busy machine
      assertEquals(isTyped, false);
      Deno.kill(process!.pid, "SIGCONT");
      await typed;
      await operator.release();
      await one.printing((printed) => printed.includes("keysym 0x61, a)"));
      assertEquals(two.printed.includes("keysym 0x61, a)"), false);
    }
  });
});

Deno.test({
  name: "without a window manager, lists, activates, places and closes windows, and refuses the rest",
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
    await assertRejects(() => change("one", { to: "maximized" }), StateError, "no window manager is running");
    assertEquals(await change("one", { to: "closed" }), undefined);
  });
});

Deno.test({
  name: "does not use a killed window manager whose properties stay on the root window",
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
    await assertRejects(() => change("one", { to: "minimized" }), StateError, "no window manager is running");
  });
});

Deno.test({
  name: "does not list panels, the desktop, splash screens and windows that skip taskbar and pager",
  ...need("Xvfb", "openbox", "xclock", "xev", "xprop", "wmctrl"),
}, async () => {
  await withWindows("openbox", async ({ xvfb, list, listed }) => {
    await using _one = clock(xvfb, "one");
    await listed("one");
    const ofType = (type: string) => {
      const name = "_NET_WM_WINDOW_TYPE";
      return ["xprop", "-f", name, "32a", "-set", name, `${name}_${type}`];
    };
    const rows = [
      ["panel", ...ofType("DOCK")],
      ["splash", ...ofType("SPLASH")],
      ["back", ...ofType("DESKTOP")],
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
  name: "repeated lists show each change of their windows",
  ...need("Xvfb", "openbox", "xdotool", "xev", "xclock"),
}, async () => {
  await withWindows(undefined, async ({ xvfb, list, operator: { desktop: { windows } } }) => {
    /** The list of a new desktop. */
    const fresh = async () => {
      const desktop = openX11(xvfb.display);
      try {
        return await desktop.windows!.list();
      } finally {
        desktop.close();
      }
    };
    let before = "";
    let last: WindowInfo[] = [];
    const changes = async () => {
      await until(async () => {
        const known = JSON.stringify(await list()), now = JSON.stringify(await fresh());
        if (known !== now || now === before) return false;
        before = now;
        return true;
      });
      assert(!await windows!.isSame!(last));
      // From here on the list is cached; a starting manager may report no windows at first. A window may change
      // in two steps: the next change is one of this list.
      await until(async () =>
        (before = JSON.stringify(last = await list())) === JSON.stringify(await list())
      );
    };
    const one = clock(xvfb, "one");
    await changes();
    {
      await using _manager = await xvfb.manager("openbox"); // ended by SIGKILL
      await changes();
      await using _two = taking(xvfb, "two");
      await changes();
      assert(await until(async () => await windows!.isSame!(await list())));
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

for (const manager of ["openbox", "icewm"]) {
  Deno.test({
    name: `a window on another ${manager} workspace is marked, has no screenshot, and can be activated`,
    ...need("Xvfb", manager, "xclock", "xdotool", "xev", "xprop"),
  }, async () => {
    await withWindows(manager, async ({ xvfb, operator, listed, find, change }) => {
      await xvfb.run("xdotool", "set_num_desktops", "2");
      await using _far = taking(xvfb, "far");
      await listed("far");
      await using _near = clock(xvfb, "near", "300x250+50+50");
      await listed("near");
      await xvfb.run("xdotool", "set_desktop_for_window", (await find("far"))!.id, "1");
      const far = await until(() => find("far"), (window) => window?.elsewhere === true);
      assertEquals([far!.state, (await find("near"))!.elsewhere], ["normal", undefined]);
      await assertRejects(() => windowPart(operator, far!.id, {}), StateError, "on another workspace");
      const active = (await change("far", { to: "active" }))!;
      assertEquals([active.active, active.elsewhere], [true, undefined]);
      assertEquals(Number(await xvfb.run("xdotool", "getactivewindow")), Number(far!.id));
    });
  });
}

Deno.test({
  name: "the response for a window that openbox restores with an animation has its final position",
  ...need("Xvfb", "openbox", "xclock", "xdotool", "xev", "xprop"),
}, async () => {
  await withWindows("openbox", async ({ xvfb, listed, find, change }) => {
    await using _one = clock(xvfb, "one", "200x150+400+200");
    await listed("one");
    const { x, y } = (await find("one"))!;
    for (const to of ["normal", "active"] as const) {
      await change("one", { to: "minimized" });
      const back = (await change("one", { to }))!;
      assertEquals([back.x, back.y], [x, y]);
    }
  });
});

// The window manager's answers after which a request counts as handled.

const ATOMS = { _NET_REQUEST_FRAME_EXTENTS: 1, _NET_FRAME_EXTENTS: 2 } as WindowAtoms;

/** A fence, its requests, and a manager that answers when the test says so. */
function fenced(supports: number[] = [ATOMS._NET_REQUEST_FRAME_EXTENTS]) {
  let questions = 0, answers = 0;
  const xcb = {
    xcb: { xcb_generate_id: () => 5, xcb_create_window: () => {} },
    sendMessage: () => void questions++,
    askProperty: () => 0,
    property: () => answers > 0 ? (answers--, {}) : undefined,
  } as unknown as XcbConnection;
  const fence = new ManagerFence(xcb, ATOMS);
  let window = 1;
  return {
    raise: () => fence.raise({ window, supports: new Set(supports) } as unknown as WindowManager),
    replace: () => void window++,
    answer: () => void answers++,
    state: () => `${fence.isPassed() ? "passed" : "waits"}, ${questions} asked`,
  };
}

Deno.test("a request is handled after two answers, and answers to earlier questions do not count", () => {
  const cases: [steps: ("raise" | "answer" | "replace")[], state: string][] = [
    [[], "passed, 0 asked"],
    [["raise"], "waits, 1 asked"],
    [["raise", "answer"], "waits, 2 asked"],
    [["raise", "answer", "answer"], "passed, 2 asked"],
    [["raise", "raise", "answer", "answer"], "waits, 3 asked"],
    [["raise", "raise", "answer", "answer", "answer"], "passed, 3 asked"],
    [["raise", "answer", "answer", "raise", "answer"], "waits, 4 asked"],
    [["raise", "answer", "replace", "raise", "answer", "answer"], "passed, 4 asked"],
  ];
  for (const [steps, state] of cases) {
    const fence = fenced();
    let last = fence.state();
    for (const step of steps) {
      fence[step]();
      last = fence.state();
    }
    assertEquals(last, state, steps.join(", "));
  }
});

Deno.test("does not ask a manager that does not support the question", () => {
  const fence = fenced([]);
  fence.raise();
  assertEquals(fence.state(), "passed, 0 asked");
});

Deno.test({
  name: "a maximized or fullscreen window is placed exactly, or restored, in one call",
  ...need("Xvfb", "openbox", "xev"),
}, async () => {
  await withWindows("openbox", async ({ xvfb, listed, change }) => {
    await using _one = taking(xvfb, "one");
    await listed("one");
    const region = { x: 50, y: 60, width: 400, height: 300 };
    for (const states of [["maximized"], ["fullscreen"], ["maximized", "fullscreen"]] as const) {
      for (const to of states) await change("one", { to });
      const { x, y, width, height, state } = (await change("one", { to: "placed", region }))!;
      assertEquals({ x, y, width, height, state }, { ...region, state: "normal" }, states.join());
      for (const to of states) await change("one", { to });
      assertEquals((await change("one", { to: "normal" }))?.state, "normal");
    }
  });
});

// Text after a program has ended and another one has its window ids.

const ATOM = 4, CURRENT_TIME = 0;
/** Two texts without common characters; each fills most free keys. */
const [TEXT, OTHER] = [0x4e00, 0x5e00].map((first) =>
  Array.from({ length: 70 }, (_, i) => String.fromCodePoint(first + i)).join("")
);

const XCB = { xcb_map_window: { parameters: ["pointer", "u32"], result: "u32" } } as const;

/** Starts a program that reads no events. @param promises Whether its window supports pings. */
function start(display: string, promises: boolean): { xcb: XcbConnection; windows: number[] } {
  const xcb = new XcbConnection(display), { WM_PROTOCOLS, _NET_WM_PING } = xcb.atoms(WINDOW_ATOMS);
  const windows = [0, 1].map(() => createOwnWindow(xcb, WINDOW_CLASS.inputOutput));
  if (promises) xcb.setProperty(windows[0], WM_PROTOCOLS, ATOM, 32, Uint32Array.of(_NET_WM_PING));
  const libxcb = Deno.dlopen("libxcb.so.1", XCB);
  for (const window of windows) libxcb.symbols.xcb_map_window(xcb.connection, window);
  xcb.flush();
  libxcb.close();
  return { xcb, windows };
}

Deno.test({
  name: "does not wait for a window that closes instead of answering",
  ...need("Xvfb"),
}, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display), program = start(server.display, true);
  try {
    const window = { id: String(program.windows[0]) } as WindowInfo;
    const handled = desktop.windows!.hasHandled!(window, 10_000);
    assertEquals(await Promise.race([handled, delay(50, {}).then(() => "waits")]), "waits");
    program.xcb.close();
    assertEquals(await handled, undefined); // false would mean a timeout
  } finally {
    desktop.close();
  }
});

Deno.test({
  name: "a program that answers does not wait behind one that does not",
  ...need("Xvfb", "zenity"),
}, async () => {
  await using server = await Xvfb.start();
  await using _ = server.spawn("zenity", "--info", "--title", "Answers", "--text", "x");
  const answers = await server.window("--name", "Answers");
  const desktop = openX11(server.display), program = start(server.display, true);
  try {
    const isHandled = (id: string) => desktop.windows!.hasHandled!({ id } as WindowInfo, 10_000);
    const late = isHandled(`${program.windows[0]}`);
    assertEquals(await isHandled(answers), true);
    assertEquals(await Promise.race([late, Promise.resolve("waits")]), "waits");
    program.xcb.close();
    assertEquals(await late, undefined);
  } finally {
    desktop.close();
  }
});

function focus(xcb: XcbConnection, window: number): void {
  xcb.xcb.xcb_set_input_focus_checked(xcb.connection, 1, window, CURRENT_TIME);
  xcb.flush();
}

Deno.test({
  name: "does not wait for an ended program's keys, even if another window has its id",
  ...need("Xvfb"),
}, async () => {
  await using server = await Xvfb.start();
  const desktop = openX11(server.display);
  const first = start(server.display, true), [number] = first.windows;
  try {
    focus(first.xcb, number);
    await until(() => first.xcb.focus() === number);
    await desktop.keyboard.type(TEXT);
  } finally {
    first.xcb.close();
  }
  // The server assigns a new client the lowest free ids once it has noticed the old one's end.
  const second = await until(() => {
    const program = start(server.display, false);
    if (program.windows[0] === number) return program;
    program.xcb.close();
  });
  const [reused, other] = second!.windows;
  try {
    assertEquals(reused, number);
    focus(second!.xcb, other);
    await until(() => second!.xcb.focus() === other);
    await desktop.keyboard.type(OTHER);
  } finally {
    second!.xcb.close();
    desktop.close();
  }
});
