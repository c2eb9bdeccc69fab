/** Pictures of windows that others cover, on a real X server with real programs. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Frame, Region, WindowInfo } from "../../../control/desktop/desktop.ts";
import { differenceIn, type Look } from "../../../control/observe/staleness.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { listWindows, windowPart } from "../../../control/windows/list.ts";
import { StateError } from "../../../core/errors.ts";
import { openXcbComposite } from "../../../ffi/x11/libraries.ts";
import { openX11 } from "../../../ffi/x11/mod.ts";
import { XcbConnection } from "../../../ffi/x11/xcb_connection.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";
import { Xvfb } from "../../support/xvfb.ts";

const CONTROLS = new URL("../../support/controls_gtk.py", import.meta.url).pathname;
const PYTHON = "/usr/bin/python3";

/** A desktop with a form, and a terminal that will cover it. */
class Stage implements AsyncDisposable {
  readonly operator: Operator;

  constructor(readonly server: Xvfb, readonly parts: AsyncDisposableStack) {
    const desktop = openX11(server.display);
    parts.defer(() => desktop.close());
    this.operator = new Operator(desktop);
  }

  static async start(manager: string | undefined): Promise<Stage> {
    await using parts = new AsyncDisposableStack();
    const server = parts.use(await Xvfb.start({ width: 1280, height: 800 }));
    if (manager) parts.use(await server.manager(manager));
    parts.use(server.spawn(PYTHON, CONTROLS, "3.0", "Form"));
    await server.window("--name", "^Form$");
    parts.use(server.spawn("xterm", "-T", "cover", "-geometry", "60x30+900+20"));
    await server.window("--name", "^cover$");
    return new Stage(server, parts.move());
  }

  async find(title: string): Promise<WindowInfo> {
    const listed = async () => (await listWindows(this.operator)).find((window) => window.title === title);
    return (await until(listed))!;
  }

  /** Moves a window, and waits until it is listed there. */
  async move(title: string, x: number, y: number): Promise<void> {
    const { id } = await this.find(title);
    await this.server.run("xdotool", "windowraise", id, "windowmove", id, `${x}`, `${y}`);
    await until(
      () => this.find(title),
      (window) => Math.abs(window.x - x) < 40 && Math.abs(window.y - y) < 40,
    );
  }

  /** A window as `/api/screenshot?window=` shows it. */
  async look(title: string): Promise<Look & { isAlone: boolean }> {
    const { region, window } = await windowPart(this.operator, (await this.find(title)).id, {});
    return { ...await this.lookAt(region, window), isAlone: window !== undefined };
  }

  /** A part of the screen, or of a window alone. */
  async lookAt(area: Region, window?: WindowInfo): Promise<Look> {
    const pixels = await this.operator.capture(area, false, packed, window);
    return { area, pixels };
  }

  /** A window once it stays the same. */
  async stillLook(title: string) {
    let last = await this.look(title);
    return await until(async () => {
      const before = last;
      last = await this.look(title);
      return differs(before, last) ? undefined : last;
    }) as typeof last;
  }

  /** Whether the server keeps the content of a window: it does for windows that are redirected. */
  async isRedirected(title: string): Promise<boolean> {
    const { id } = await this.find(title), xcb = new XcbConnection(this.server.display);
    try {
      let window = Number(id);
      for (let up = xcb.tree(xcb.askTree(window)); up && up.parent !== xcb.root;) {
        up = xcb.tree(xcb.askTree(window = up.parent));
      }
      const pixmap = xcb.xcb.xcb_generate_id(xcb.connection);
      const { xcb_composite_name_window_pixmap_checked: name } = openXcbComposite()!;
      return xcb.isDone(name(xcb.connection, window, pixmap));
    } finally {
      xcb.close();
    }
  }

  async [Symbol.asyncDispose]() {
    await this.parts[Symbol.asyncDispose]();
  }
}

/** The pixels of a frame without gaps. */
function packed({ width, height, stride, pixels }: Frame): Uint32Array {
  const kept = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    kept.set(new Uint32Array(pixels.buffer, pixels.byteOffset + y * stride, width), y * width);
  }
  return kept;
}

/** The box around the pixels that differ; undefined if none does. */
const differs = (before: Look, now: Look) => differenceIn(before.area, before, now).box;

for (const manager of ["openbox", undefined]) {
  Deno.test({
    name: `a covered window is shown as it looks uncovered, ${
      manager ? `under ${manager}` : "without a manager"
    }`,
    ...need("Xvfb", ...manager ? [manager] : [], "xdotool", "xev", "xprop", "xterm", PYTHON),
  }, async () => {
    await using stage = await Stage.start(manager);
    const { server } = stage, focus = () => server.run("xdotool", "getwindowfocus");
    await stage.move("Form", 60, 60);
    await stage.move("cover", 800, 20);
    await server.run("xdotool", "mousemove", "1200", "700", "windowfocus", (await stage.find("cover")).id);
    const uncovered = await stage.stillLook("Form"), focused = await focus();
    assertEquals([uncovered.isAlone, await stage.isRedirected("Form")], [false, false]);
    await stage.move("cover", 100, 90);
    const screen = await stage.lookAt(uncovered.area);
    assert(differs(uncovered, screen)); // really covered
    for (let i = 0; i < 5; i++) {
      const covered = await stage.look("Form");
      assertEquals([covered.area, covered.isAlone], [uncovered.area, true]);
      assertEquals(differs(uncovered, covered), undefined);
    }
    assertEquals([await focus(), (await listWindows(stage.operator))[0].title], [focused, "cover"]);
    assertEquals(differs(screen, await stage.lookAt(uncovered.area)), undefined); // nothing changed on the screen
    assertEquals(await stage.isRedirected("Form"), true);
    stage.operator.desktop.close();
    const again = new Stage(server, new AsyncDisposableStack());
    await using _parts = again.parts;
    assertEquals(await again.isRedirected("Form"), false); // nothing stays redirected
    if (!manager) return;
    await server.run("xdotool", "windowminimize", (await again.find("Form")).id);
    await until(() => again.find("Form"), ({ state }) => state === "minimized");
    await assertRejects(() => again.look("Form"), StateError, "is minimized");
  });
}
