/** Screenshots of covered windows, and presses on their contents, on a real X server with real programs. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { ACTIONS } from "../../../control/actions/mod.ts";
import {
  contains,
  type Frame,
  type Point,
  type Region,
  type WindowInfo,
} from "../../../control/desktop/desktop.ts";
import { differenceIn, type Look } from "../../../control/observe/seen_pictures.ts";
import { SeenPictures } from "../../../control/observe/mod.ts";
import { Operator } from "../../../control/operator/operator.ts";
import { runLine } from "../../../control/prompt/commands.ts";
import { listWindows, windowPart } from "../../../control/windows/list.ts";
import { ChangedError, DesktopUnavailableError, NotFoundError, StateError } from "../../../core/errors.ts";
import { openOptional } from "../../../ffi/x11/libraries.ts";
import { openX11 } from "../../../ffi/x11/desktop.ts";
import { XcbConnection } from "../../../ffi/x11/xcb_connection.ts";
import { runnerOf } from "../../support/control.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";
import { type Client, Xvfb } from "../../support/xvfb.ts";

const CONTROLS = fromFileUrl(new URL("../../support/controls_gtk.py", import.meta.url));
/** Number of equal screenshots in a row: a GTK control fades its colors over several. */
const STILL_LOOKS = 6;
const PYTHON = "/usr/bin/python3";

/** A desktop with a form, and a terminal to cover it. */
class Stage implements AsyncDisposable {
  readonly operator: Operator;

  constructor(
    readonly server: Xvfb,
    readonly form: Client,
    readonly manager: Client | undefined,
    readonly parts: AsyncDisposableStack,
  ) {
    const desktop = openX11(server.display);
    parts.defer(() => desktop.close());
    this.operator = new Operator(desktop);
  }

  static async start(manager: string | undefined): Promise<Stage> {
    await using parts = new AsyncDisposableStack();
    const server = parts.use(await Xvfb.start({ width: 1280, height: 800 }));
    const managing = manager ? parts.use(await server.manager(manager)) : undefined;
    await server.run("xdotool", "mousemove", "1270", "790"); // no window is below
    const form = parts.use(server.spawn(PYTHON, CONTROLS, "3.0", "Form"));
    await server.window("--name", "^Form$");
    parts.use(server.spawn("xterm", "-T", "cover", "-geometry", "60x30+900+20"));
    await server.window("--name", "^cover$");
    return new Stage(server, form, managing, parts.move());
  }

  async find(title: string): Promise<WindowInfo> {
    const listed = async () => (await listWindows(this.operator)).find((window) => window.title === title);
    return (await until(listed))!;
  }

  /** Moves a window and waits until it is listed there. */
  async move(title: string, x: number, y: number): Promise<void> {
    const { id } = await this.find(title);
    await this.server.run("xdotool", "windowraise", id, "windowmove", id, `${x}`, `${y}`);
    await until(
      () => this.find(title),
      (window) => Math.abs(window.x - x) < 40 && Math.abs(window.y - y) < 40,
    );
  }

  /** A window's screenshot, as by `/api/screenshot?window=`. */
  async look(title: string): Promise<Look & { isAlone: boolean }> {
    const { region, window } = await windowPart(this.operator, (await this.find(title)).id, {});
    return { ...await this.lookAt(region, window), isAlone: window !== undefined };
  }

  /** A screenshot of a part of the screen, or of a window alone. */
  async lookAt(area: Region, window?: WindowInfo): Promise<Look> {
    const pixels = await this.operator.capture(area, false, packed, window);
    return { area, pixels };
  }

  /** A window's screenshot once several in a row are equal. */
  async stillLook(title: string) {
    let last = await this.look(title), same = 0;
    return await until(async () => {
      const before = last;
      last = await this.look(title);
      same = differs(before, last) ? 0 : same + 1;
      return same >= STILL_LOOKS ? last : undefined;
    }) as typeof last;
  }

  /** Whether the server stores a window's content, as it does for redirected windows. */
  async isRedirected(title: string): Promise<boolean> {
    const { id } = await this.find(title), xcb = new XcbConnection(this.server.display);
    try {
      let window = Number(id);
      for (let up = xcb.tree(xcb.askTree(window)); up && up.parent !== xcb.root;) {
        up = xcb.tree(xcb.askTree(window = up.parent));
      }
      const pixmap = xcb.xcb.xcb_generate_id(xcb.connection);
      const { xcb_composite_name_window_pixmap_checked: name } = openOptional("xcbComposite")!;
      return xcb.isDone(name(xcb.connection, window, pixmap));
    } finally {
      xcb.close();
    }
  }

  async [Symbol.asyncDispose]() {
    await this.parts[Symbol.asyncDispose]();
  }
}

/** A frame's pixels without gaps. */
function packed({ width, height, stride, pixels }: Frame): Uint32Array {
  const kept = new Uint32Array(width * height);
  for (let y = 0; y < height; y++) {
    kept.set(new Uint32Array(pixels.buffer, pixels.byteOffset + y * stride, width), y * width);
  }
  return kept;
}

/** The bounding box of the differing pixels; undefined if there are none. */
const differs = (before: Look, now: Look) => differenceIn(before.area, before, now).box;

for (const manager of ["openbox", undefined]) {
  Deno.test({
    name: `captures a covered window as if it were uncovered, ${
      manager ? `under ${manager}` : "without a manager"
    }`,
    ...need("Xvfb", ...manager ? [manager] : [], "xdotool", "xev", "xprop", "xterm", PYTHON),
  }, async () => {
    await using stage = await Stage.start(manager);
    const { server } = stage, focus = () => server.run("xdotool", "getwindowfocus");
    await stage.move("Form", 60, 60);
    await stage.move("cover", 800, 20);
    await server.run("xdotool", "windowfocus", (await stage.find("cover")).id);
    const uncovered = await stage.stillLook("Form"), focused = await focus();
    const { x, y } = uncovered.area, place = { x: x + 20, y: y + 50, width: 200, height: 80 };
    const runner = runnerOf(stage.operator), caller = { signal: new AbortController().signal };
    const picture = await runner.run(ACTIONS.screenshot, { format: "png", ...place }, caller);
    const png = await picture.bytes(), window = { title: "Form" };
    const file = stage.parts.adopt(
      Deno.makeTempFileSync({ suffix: ".png" }),
      (path) => Deno.removeSync(path),
    );
    Deno.writeFileSync(file, png);
    assertEquals([uncovered.isAlone, await stage.isRedirected("Form")], [false, false]);
    await stage.move("cover", 100, 90);
    const screen = await stage.lookAt(uncovered.area);
    assert(differs(uncovered, screen)); // it is really covered
    for (let i = 0; i < 5; i++) {
      const covered = await stage.look("Form");
      assertEquals([covered.area, covered.isAlone], [uncovered.area, true]);
      assertEquals(differs(uncovered, covered), undefined);
    }
    assertEquals((await runner.run(ACTIONS.find, { png: png.slice() }, caller)).matches, []);
    const { matches: [match] } = await runner.run(ACTIONS.find, { png, window }, caller);
    assertEquals({ ...match }, { ...match, ...place });
    const text = { text: "Newsletter", source: "screen" as const, window };
    const { matches: [word] } = await runner.run(ACTIONS.findText, text, caller);
    assertEquals(word.text, "Newsletter");
    assert(contains(uncovered.area, word.center), JSON.stringify(word));
    const prompt = (line: string) =>
      runLine(line, { runner, signal: caller.signal, by: "prompt", notice: () => {} });
    assertEquals(await prompt(`find ${file} window=form`), `${match.center.x} ${match.center.y}`);
    await assertRejects(() => prompt(`find ${file}`), NotFoundError, "the picture is not on the screen");
    assertMatch(await prompt('find "Newsletter" window="Form"') as string, /^\d+ \d+ Newsletter$/m);
    assertMatch(await prompt("text window=Form") as string, /^.*Newsletter.*$/m);
    assertEquals([await focus(), (await listWindows(stage.operator))[0].title], [focused, "cover"]);
    assertEquals(differs(screen, await stage.lookAt(uncovered.area)), undefined); // the screen has not changed
    assertEquals(await stage.isRedirected("Form"), true);
    const { desktop } = stage.operator, cover = await stage.find("cover");
    const late = desktop.screen.captureWindow!(cover, cover, false, packed);
    desktop.close();
    await assertRejects(() => late, DesktopUnavailableError); // reads no memory of the closed connection
    await using again = new Stage(server, stage.form, stage.manager, new AsyncDisposableStack());
    assertEquals(await again.isRedirected("Form"), false); // no window stays redirected
    if (!manager) return;
    await server.run("xdotool", "windowminimize", (await again.find("Form")).id);
    await until(() => again.find("Form"), ({ state }) => state === "minimized");
    await assertRejects(() => again.look("Form"), StateError, "is minimized");
  });
}

Deno.test({
  name: "a press on a screenshot's contents reaches menus, and bypasses a manager busy moving the window",
  ...need("Xvfb", "openbox", "xdotool", "xev", "xprop", "xterm", PYTHON),
}, async () => {
  await using stage = await Stage.start("openbox");
  const { operator, server, form, manager } = stage, pictures = new SeenPictures(operator);
  const waiter = { signal: new AbortController().signal };
  const press = async (at: Point) => {
    const expects = await pictures.check("one", at, true, true, waiter);
    await operator.click(at, "left", 1, [], { ...waiter, expects });
  };
  const says = (words: string) => until(() => form.printed.includes(words));
  await stage.move("Form", 60, 60);
  const { id, ...window } = await stage.find("Form");
  await server.run("xdotool", "windowactivate", "--sync", id, "key", "Tab", "space"); // opens the list of countries
  const popups = () => operator.desktop.targets!.popups!();
  const menu = (await until(async () => (await popups()).find(({ height }) => height > 50)))!; // the manager's own are smaller
  await stage.stillLook("Form");
  await pictures.keep("one", operator.screen());
  const item = { x: menu.x + (menu.width >> 1), y: menu.y + Math.floor(menu.height * 0.3) };
  await press(item);
  await says("Country=Germany");
  await until(async () => !(await popups()).some(({ height }) => height > 50)); // the program says so before it
  await assertRejects(() => press(item), ChangedError, "a menu that the picture showed is gone");

  await stage.stillLook("Form");
  await pictures.keep("one", operator.screen());
  Deno.kill(manager!.pid, "SIGSTOP");
  try {
    await server.run("xdotool", "windowmove", id, "500", "200"); // waits for the manager, which would move it first
    await press({ x: window.x + (window.width >> 1), y: window.y + 36 });
    await says("Asked=1");
  } finally {
    Deno.kill(manager!.pid, "SIGCONT");
  }
  await until(() => stage.find("Form"), ({ x }) => x > 400);
  await stage.find("cover");
  assertEquals(form.printed.match(/Asked/g)!.length, 1);
});
