/** The windows of sway's tree: stacking order and positions. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { DesktopUnavailableError } from "../../../../core/errors.ts";
import { isStopped } from "../../../../ffi/linux/threads.ts";
import { keyboardHolder, swayWindows, WlrootsWindows } from "../../../../ffi/wayland/wlroots/sway_tree.ts";
import type { WindowInfo } from "../../../../control/desktop/desktop.ts";
import { until } from "../../../support/shell.ts";
import { SWAY, Sway } from "../../../support/sway.ts";

const rect = (x: number, y: number, width = 100, height = 80) => ({ x, y, width, height });

/** A window's node. */
function view(id: number, name: string, more: Record<string, unknown> = {}) {
  return { id, type: "con", name, app_id: name, pid: 100 + id, visible: true, rect: rect(0, 0), ...more };
}

/** A tree of a visible and a hidden workspace. */
const TREE = {
  id: 1,
  type: "root",
  rect: rect(0, 0),
  focus: [2],
  nodes: [{
    id: 2,
    type: "output",
    rect: rect(0, 0),
    focus: [4, 3],
    nodes: [
      {
        id: 3,
        type: "workspace",
        rect: rect(0, 0),
        focus: [5],
        nodes: [view(5, "hidden", { visible: false })],
      },
      {
        id: 4,
        type: "workspace",
        rect: rect(0, 0),
        focus: [6, 10, 11, 12],
        nodes: [
          {
            id: 6,
            type: "con",
            rect: rect(0, 0),
            focus: [8, 7],
            nodes: [
              view(7, "left"),
              view(8, "right", { focused: true, rect: rect(50, 24, 40, 30), deco_rect: rect(0, 0, 40, 22) }),
            ],
          },
          view(12, "x11", { app_id: null, window_properties: { class: "XClock" } }),
        ],
        floating_nodes: [view(10, "lower"), view(11, "upper")],
      },
    ],
  }],
};

Deno.test("lists windows in stacking order: floating, tiled, then those on hidden workspaces", () => {
  const titles = swayWindows(TREE).map(({ title }) => title);
  assertEquals(titles, ["upper", "lower", "right", "left", "x11", "hidden"]);
});

Deno.test("a fullscreen window is in front of floating ones", () => {
  const tree = structuredClone(TREE), [, shown] = tree.nodes[0].nodes;
  Object.assign(shown.nodes[1], { fullscreen_mode: 1, deco_rect: rect(0, 0, 40, 22) });
  const [front] = swayWindows(tree);
  assertEquals([front.title, front.isFullscreen, front.region], ["x11", true, rect(0, 0)]);
});

Deno.test("a window includes its title bar, and has its process and class", () => {
  const windows = swayWindows(TREE), right = windows.find(({ title }) => title === "right");
  assertEquals(right, {
    id: 8,
    title: "right",
    class: "right",
    pid: 108,
    isFullscreen: false,
    isFloating: false,
    isFocused: true,
    isVisible: true,
    region: { x: 50, y: 2, width: 40, height: 52 },
  });
  assertEquals(windows.find(({ title }) => title === "x11")?.class, "XClock");
  assertEquals(windows.filter(({ isVisible }) => !isVisible).map(({ title }) => title), ["hidden"]);
});

/** A tree with one workspace. */
const treeOf = (workspace: Record<string, unknown>, ...nodes: unknown[]) => ({
  id: 1,
  type: "root",
  nodes: [{ id: 2, type: "output", nodes: [{ id: 3, type: "workspace", ...workspace, nodes }] }],
});
const focused = (shell: string) => view(5, "editor", { focused: true, shell });

Deno.test("knows the focused process, unless XWayland, a panel or a screen lock has focus", () => {
  const cases: readonly [tree: unknown, holder: number | undefined][] = [
    [treeOf({ focused: true }), 0],
    [treeOf({}, view(4, "other"), focused("xdg_shell")), 105],
    [treeOf({}, { id: 6, type: "con", nodes: [focused("xdg_shell")] }), 105],
    [treeOf({ floating_nodes: [focused("xdg_shell")] }), 105],
    [treeOf({}, focused("xwayland")), undefined],
    [treeOf({}, view(4, "other")), undefined],
    [{ id: 1, type: "root" }, undefined],
  ];
  for (const [tree, holder] of cases) assertEquals(keyboardHolder(tree), holder, JSON.stringify(tree));
});

Deno.test(
  { name: "waits for a stopped sway without blocking the thread, and asks again", ...SWAY },
  async () => {
    await using sway = await Sway.start();
    Deno.env.set("SWAYSOCK", sway.env.SWAYSOCK);
    const windows = new WlrootsWindows(sway.socket);
    try {
      assertEquals(await windows.list(), []);
      Deno.kill(sway.pid, "SIGSTOP");
      let turns = 0;
      const turning = setInterval(() => turns++);
      await assertRejects(() => windows.list(), DesktopUnavailableError, "sway is not responding");
      clearInterval(turning);
      assert(turns > 0, "nothing else ran meanwhile");
      Deno.kill(sway.pid, "SIGCONT");
      await until(() => !isStopped(`${sway.pid}`));
      assertEquals(await windows.list(), []);
      await windows.change({ id: "0x1" } as WindowInfo, { to: "active" }); // sway says that there is no such window
    } finally {
      Deno.kill(sway.pid, "SIGCONT");
      windows.close();
      Deno.env.delete("SWAYSOCK");
    }
  },
);
