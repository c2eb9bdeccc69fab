/** Elements and windows on GNOME, which reports no window positions: the accessibility bus lists windows. */

import { assert, assertEquals } from "@std/assert";
import { gtkControls } from "../../support/elements.ts";
import { checkForm, checkMenus, ElementsApi, FORMS } from "../../support/forms.ts";
import { GNOME, Gnome } from "../../support/gnome.ts";
import { need } from "../../support/need.ts";
import { until } from "../../support/shell.ts";
import { startInSession } from "../../support/ordinary_user.ts";

const NEEDED = need("/usr/lib/python3/dist-packages/pyatspi/__init__.py", "zenity");
const WITNESS = Deno.readTextFileSync(new URL("./witness.py", import.meta.url));

/** A listed window. */
interface Listed {
  id: string;
  title: string;
  class: string;
  pid: number;
  active: boolean;
  state: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

Deno.test({
  name: "GNOME: lists windows and elements, presses them, and clicks those of maximized windows",
  ignore: GNOME.ignore || NEEDED.ignore,
}, async (t) => {
  await using gnome = await Gnome.start();
  gnome.session.set("QT_QPA_PLATFORM", "wayland");
  gnome.session.set("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
  await using program = await startInSession(gnome.session, ["--http", "0"]);
  const api = new ElementsApi(await program.controlUrl());
  await api.post("key", { keys: "shift" }); // a desktop without a keyboard has no active window
  const windows = async (): Promise<Listed[]> => (await api.get("windows")).windows;
  const witness = (title: string) => gnome.run("/usr/bin/python3", "-c", WITNESS, title);
  for (const form of FORMS) {
    await t.step({
      name: form.name,
      ignore: need(form.needs).ignore,
      async fn() {
        await using running = gnome.spawn(form.program, ...form.args);
        const isThere = (all: Listed[]) => all.some(({ title, active }) => title === form.title && active);
        const [window] = await until(windows, isThere), [again] = await windows();
        assertEquals([window.title, window.pid, window.width], [form.title, running.pid, 0]);
        assertEquals(again.id, window.id);
        await checkForm(form, running, { api, via: "action", witness });
        await until(windows, (all) => all.every(({ title }) => title !== form.title));
      },
    });
  }
  await t.step("a maximized window has positions, and a click reaches its button", async () => {
    const { program: command, args, title } = FORMS[1];
    await using running = gnome.spawn(command, ...args);
    // The previous form's window may still be there.
    const own = `global.get_window_actors().map((a) => a.meta_window).filter((w) => w.title === "${title}")`;
    await until(() => gnome.evaluate<number>(`${own}.map((w) => w.maximize(3)).length`));
    const [window] = await until(windows, ([one]) => one?.state === "maximized");
    const frame = "(({ x, y, width, height }) => [x, y, width, height])";
    const [x, y, width, height] = await gnome.evaluate<number[]>(
      `${frame}(${own}[0].get_frame_rect())`,
    );
    assertEquals([window.x, window.y, window.width, window.height], [x, y, width, height]);
    await checkForm(FORMS[1], running, { api, via: "click", witness });
  });
  for (const controls of [gtkControls(3), gtkControls(4)]) {
    await t.step({
      name: `an open list of a ${controls.name} program takes no press that is meant for another element`,
      ignore: need(...controls.needs).ignore,
      async fn() {
        const [script, ...args] = controls.args;
        const source = await Deno.readTextFile(script);
        await using running = gnome.spawn("/usr/bin/python3", "-c", source, ...args);
        const own =
          `global.get_window_actors().map((a) => a.meta_window).filter((w) => w.title === "Controls")`;
        await until(() => gnome.evaluate<number>(`${own}.map((w) => [w.maximize(3), w.activate(0)]).length`));
        await until(windows, ([one]) => one?.title === "Controls" && one.state === "maximized");
        await checkMenus(controls, running, { api });
      },
    });
  }
  await t.step("refuses to change a window, and says why", async () => {
    await using _ = gnome.spawn("zenity", "--info", "--title", "Stays", "--text", "Stays");
    await until(windows, (all) => all.some(({ title }) => title === "Stays"));
    const { status, error } = await api.post("window/minimize", { title: "Stays" });
    assertEquals([status, error], [409, "GNOME does not let programs change other programs' windows"]);
  });
  await t.step(
    "the accessibility switch says what it changed, and never changes screen readers",
    async () => {
      const isOn = async (name: string) =>
        await gnome.run(
          "gdbus",
          ...["call", "--session", "--dest", "org.a11y.Bus", "--object-path", "/org/a11y/bus"],
          ...["--method", "org.freedesktop.DBus.Properties.Get", "org.a11y.Status", name],
        );
      assertEquals(await isOn("IsEnabled"), "(<false>,)\n");
      const { status, changed, did } = await api.post("elements", { enabled: true });
      assertEquals([status, changed], [200, true]);
      assert(did.includes("toolkit-accessibility"), did);
      assertEquals(await isOn("IsEnabled"), "(<true>,)\n");
      assertEquals((await api.post("elements", { enabled: true })).changed, false);
      assertEquals((await api.post("elements", { enabled: false })).changed, true);
      assertEquals(await isOn("IsEnabled"), "(<false>,)\n");
      assertEquals(await isOn("ScreenReaderEnabled"), "(<false>,)\n");
    },
  );
});
