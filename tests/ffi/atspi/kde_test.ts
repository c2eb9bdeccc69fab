/** Elements on KDE: screen positions, verified by clicks that reach programs of several toolkits. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Region } from "../../../control/desktop/desktop.ts";
import { gtkControls, QT6_WAYLAND, qtControls } from "../../support/elements.ts";
import { checkForm, checkMenus, ElementsApi, FORMS } from "../../support/forms.ts";
import { KWIN, Kwin } from "../../support/kwin.ts";
import { need } from "../../support/need.ts";
import { rgbOfFile } from "../../support/pictures.ts";
import { until } from "../../support/shell.ts";

const NEEDED = need("/usr/lib/python3/dist-packages/pyatspi/__init__.py");
// The session's user cannot access the tests' folder.
const CONTROLS = Deno.readTextFileSync(new URL("../../support/controls_gtk.py", import.meta.url));
const COVERED = need("/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib", "kdialog");
const WITNESS = Deno.readTextFileSync(new URL("./witness.py", import.meta.url));

for (const scale of [1, 2]) {
  Deno.test({
    name: `KDE with scale ${scale}: reads, sets and clicks forms at their positions`,
    ignore: KWIN.ignore || NEEDED.ignore,
  }, async (t) => {
    await using kwin = await Kwin.start({ scale });
    kwin.session.set("QT_QPA_PLATFORM", "wayland");
    kwin.session.set("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1");
    kwin.session.set("GDK_BACKEND", "wayland");
    await using program = await kwin.program("--http", "0");
    const api = new ElementsApi(await program.controlUrl());
    const witness = (title: string) => kwin.run("/usr/bin/python3", "-c", WITNESS, title);
    for (const form of FORMS) {
      await t.step({
        name: form.name,
        ignore: need(form.needs).ignore,
        async fn() {
          await using running = kwin.spawn(form.program, ...form.args);
          await checkForm(form, running, { api, via: "click", witness });
        },
      });
    }
    for (const controls of [gtkControls(3), gtkControls(4), qtControls(5), qtControls(6)]) {
      const plugin = controls.name === "Qt 6" ? [QT6_WAYLAND] : [];
      await t.step({
        name: `an open list of a ${controls.name} program takes no press that is meant for another element`,
        ignore: scale === 2 || need(...controls.needs, ...plugin).ignore,
        async fn() {
          const [script, ...args] = controls.args;
          const source = await Deno.readTextFile(script);
          await using running = kwin.spawn("/usr/bin/python3", "-c", source, ...args);
          await checkMenus(controls, running, { api });
        },
      });
    }
    await t.step({
      name: "captures a covered window, even after its program acted in the background",
      ignore: scale === 1 || COVERED.ignore, // at scale 2, KWin's pictures and window list differ in pixels
      fn: () => checkCovered(kwin, api),
    });
  });
}

async function checkCovered(kwin: Kwin, api: ElementsApi): Promise<void> {
  await using _form = kwin.spawn("/usr/bin/python3", "-c", CONTROLS, "3.0", "Form");
  await until(() => api.get("elements?title=Form"), ({ elements = [] }) => elements.length > 20);
  await using _cover = kwin.spawn("kdialog", "--title", "Cover", "--inputbox", "Name", "");
  const windows = async () => (await api.get("windows")).windows;
  const [cover, form] = await until(windows, ([first]) => first?.title.startsWith("Cover") && first.active);
  const pixels = async (query: string) => {
    const answer = await fetch(`${api.url}/api/screenshot?format=png&${query}`), file = await answer.bytes();
    assertEquals(answer.status, 200, new TextDecoder().decode(file));
    return await rgbOfFile(file);
  };
  const screen = () => pixels(`x=${form.x}&y=${form.y}&width=${form.width}&height=${form.height}`);
  const alone = () => pixels(`window=${form.id}`);
  const isUnder = (i: number) => {
    const x = form.x + Math.floor(i / 3) % form.width, y = form.y + Math.floor(i / 3 / form.width);
    return x >= cover.x && y >= cover.y && x < cover.x + cover.width && y < cover.y + cover.height;
  };
  // The form's controls change to their inactive look one after another.
  const shown = await until(async () => {
    const [seen, whole] = [await alone(), await screen()];
    const isSame = seen.length === whole.length &&
      seen.every((value, i) => value === whole[i] || isUnder(i));
    return isSame && seen.some((value, i) => value !== whole[i]) ? seen : undefined;
  });
  const { status, error, x, y, width, height } = await api.post("element/click", {
    element: 'checkbox "Newsletter" in "Form"',
    background: true,
  });
  assertEquals([status, error], [200, undefined]);
  const box: Region = { x: x - form.x, y: y - form.y, width, height };
  const isBox = (i: number) => {
    const left = Math.floor(i / 3) % form.width - box.x, top = Math.floor(i / 3 / form.width) - box.y;
    return left >= 0 && top >= 0 && left < box.width && top < box.height;
  };
  const changed = await until(alone, (now) => now.some((value, i) => value !== shown![i]));
  assert(changed.every((value, i) => value === shown![i] || isBox(i)));
  assertMatch((await windows())[0].title, /^Cover/);
  await api.post("window/minimize", { title: "Form" });
  const refused = await until(
    () => api.get(`screenshot?window=${form.id}`).catch(() => ({ status: 0 })),
    ({ status }) => status === 409,
  );
  assertMatch(refused.error, /^window \S+ is minimized$/);
}
