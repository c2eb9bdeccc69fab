/** Elements on sway: screen positions, verified by clicks that reach programs of several toolkits. */

import { assertEquals } from "@std/assert";
import { gtkControls, QT6_WAYLAND, qtControls } from "../../support/elements.ts";
import { checkForm, checkMenus, ElementsApi, FORMS } from "../../support/forms.ts";
import { need } from "../../support/need.ts";
import { Program } from "../../support/program.ts";
import { SESSION_BUS, SessionBus } from "../../support/session_bus.ts";
import { needSway, Sway } from "../../support/sway.ts";
import { until } from "../../support/shell.ts";

const NEEDED = needSway("/usr/lib/python3/dist-packages/pyatspi/__init__.py");
const WITNESS = Deno.readTextFileSync(new URL("./witness.py", import.meta.url));

/** A sway with a session bus and deskhand. */
async function session(scale: number) {
  await using stack = new AsyncDisposableStack();
  const sway = stack.use(
    await Sway.start({
      outputs: [`output HEADLESS-1 resolution 1280x720 position 0 0 scale ${scale}`],
      config: ['for_window [app_id=".*"] floating enable'],
    }),
  );
  const bus = stack.use(
    await SessionBus.start({
      ...sway.env,
      GDK_BACKEND: "wayland",
      QT_QPA_PLATFORM: "wayland",
      QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1",
    }),
  );
  const program = stack.use(new Program(["--http", "0", "--desktop", "wayland"], { env: bus.env }));
  const api = new ElementsApi(await program.controlUrl()), moved = stack.move();
  return { sway, bus, api, [Symbol.asyncDispose]: () => moved[Symbol.asyncDispose]() };
}

for (const scale of [1, 1.5, 2]) {
  for (const form of FORMS) {
    Deno.test({
      name: `sway with scale ${scale}: reads, sets and clicks a form of ${form.name} at its position`,
      ignore: NEEDED.ignore || SESSION_BUS.ignore || need(form.needs).ignore,
    }, async () => {
      await using at = await session(scale);
      await using running = at.bus.spawn(form.program, ...form.args);
      const witness = (title: string) => at.bus.run("/usr/bin/python3", "-c", WITNESS, title);
      await checkForm(form, running, { api: at.api, via: "click", witness });
    });
  }
}

// Qt 5 and 6 report no dialog as modal on the accessibility bus.
for (const controls of [gtkControls(3), gtkControls(4)]) {
  Deno.test({
    name: `sway: does not click behind a modal ${controls.name} dialog, and names the dialog`,
    ignore: NEEDED.ignore || SESSION_BUS.ignore || need(...controls.needs).ignore,
  }, async () => {
    await using at = await session(1);
    const [script, ...args] = controls.args; // the bus's user may not enter the folder of the tests
    await using client = at.bus.spawn("/usr/bin/python3", "-c", await Deno.readTextFile(script), ...args);
    const { api } = at, click = (element: string) => api.post("element/click", { element });
    await until(() => api.list("Controls"), (elements) => elements.length > 20);
    const asked = await click('button "Ask" in "Controls"');
    assertEquals([asked.status, asked.via], [200, "click"], asked.error);
    await until(() => api.list("Asked"), (elements) => elements.length > 1);
    const refused = await click('checkbox "Newsletter" in "Controls"');
    assertEquals([refused.status, refused.error?.replace(/e\d+/, "e1")], [
      409,
      'checkbox "Newsletter" (e1) is disabled: the dialog "Asked" is in the way',
    ]);
    const answered = await click('button "OK" in "Asked"');
    assertEquals([answered.status, answered.via], [200, "click"], answered.error);
    await api.post("wait", { window: { title: "Asked", gone: true }, timeout_ms: 60_000 });
    const clicked = await click('checkbox "Newsletter" in "Controls"');
    assertEquals([clicked.status, clicked.via], [200, "click"], clicked.error);
    await client.printing((text) => text.includes("Newsletter=True"));
  });
}

for (const controls of [gtkControls(3), gtkControls(4), qtControls(5), qtControls(6)]) {
  const plugin = controls.name === "Qt 6" ? [QT6_WAYLAND] : [];
  Deno.test({
    name: `sway: an open list of a ${controls.name} program takes no press that is meant for another element`,
    ignore: NEEDED.ignore || SESSION_BUS.ignore || need(...controls.needs, ...plugin).ignore,
  }, async () => {
    await using at = await session(1);
    const [script, ...args] = controls.args;
    await using running = at.bus.spawn("/usr/bin/python3", "-c", await Deno.readTextFile(script), ...args);
    await checkMenus(controls, running, at);
  });
}

Deno.test({
  name: "sway reports each window's process and position, and brings one from another workspace to the front",
  ignore: NEEDED.ignore || SESSION_BUS.ignore || need("zenity", "foot").ignore,
}, async () => {
  await using at = await session(2);
  const { api, sway } = at;
  await using form = at.bus.spawn("zenity", "--info", "--title", "Told", "--text", "Told");
  const [window] = await until(
    async () => (await api.get("windows")).windows,
    (windows: { title: string; active: boolean }[]) => windows[0]?.title === "Told" && windows[0].active,
  );
  const tree = JSON.parse(await sway.run("swaymsg", "-t", "get_tree"));
  const [node] = tree.nodes.flatMap(({ nodes }: { nodes: { floating_nodes: unknown[] }[] }) =>
    nodes.flatMap(({ floating_nodes }) => floating_nodes)
  );
  const { x, y, width, height } = node.rect, bar = node.deco_rect.height;
  assertEquals(window, {
    id: `0x${node.id.toString(16)}`,
    title: "Told",
    class: "zenity",
    pid: form.pid,
    state: "normal",
    active: true,
    x: 2 * x,
    y: 2 * (y - bar),
    width: 2 * width,
    height: 2 * (height + bar),
  });
  await sway.run("swaymsg", "workspace", "2");
  await using _other = at.bus.spawn("foot", "-T", "above", "sleep", "1000");
  await sway.focused("above");
  const { status, via, error } = await api.post("element/click", {
    title: "Told",
    role: "button",
    name: "OK",
  });
  assertEquals([status, via], [200, "click"], error);
  await until(async () => (await api.get("windows?title=Told")).windows.length === 0);
});
