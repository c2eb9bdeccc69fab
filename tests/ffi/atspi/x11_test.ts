/** Elements of several toolkits on X11, at normal and high resolution: each is clicked at its position. */

import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { readProc } from "../../../core/proc.ts";
import { checkForm, ElementsApi, FORMS } from "../../support/forms.ts";
import { need } from "../../support/need.ts";
import { Program, run } from "../../support/program.ts";
import { SESSION_BUS, SessionBus } from "../../support/session_bus.ts";
import { until } from "../../support/shell.ts";
import { Client, Xvfb } from "../../support/xvfb.ts";

const NEEDED = need(
  ...["Xvfb", "openbox", "xev", "xprop", "xrdb"],
  "/usr/lib/python3/dist-packages/pyatspi/__init__.py",
);
const PYQT5_WIDGETS = "/usr/lib/python3/dist-packages/PyQt5/QtWidgets.abi3.so";
const WITNESS = Deno.readTextFileSync(new URL("./witness.py", import.meta.url));

/** Makes Qt programs show elements although accessibility is off. */
const ALWAYS = { QT_LINUX_ACCESSIBILITY_ALWAYS_ON: "1" };

/** Resolutions, with the variables and X resources that programs receive for them. */
const RESOLUTIONS: [name: string, env: Record<string, string>, resources: string][] = [
  ["the usual resolution", {}, ""],
  ["GDK_SCALE=2 and QT_SCALE_FACTOR=2", { GDK_SCALE: "2", QT_SCALE_FACTOR: "2" }, ""],
  ["Xft.dpi of 192", {}, "Xft.dpi: 192\n"],
];

/**
 * An X server with a window manager, a session bus and deskhand.
 * @param knowsDisplay Whether the services that the bus starts know the display.
 */
async function session(env: Record<string, string>, resources: string, knowsDisplay = true) {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await Xvfb.start({ width: 1600, height: 1000 }));
  const bus = stack.use(await SessionBus.start(knowsDisplay ? server.env : {}));
  const own = { ...server.env, ...bus.env, DISPLAY: server.env.DISPLAY, ...env };
  const manager = stack.use(await server.manager("openbox"));
  if (resources) await server.run("sh", "-c", `printf '${resources}' | xrdb -merge -`);
  const program = stack.use(new Program(["--http", "0", "--desktop", "x11"], { env: own }));
  const api = new ElementsApi(await program.controlUrl()), moved = stack.move();
  return {
    api,
    bus,
    server,
    manager,
    /** Doctor's finding on elements. */
    doctor: async () =>
      /^(?:ok|--) {2}elements +(.*)$/m.exec((await run(["doctor"], "", { env: own })).stdout)?.[1] ?? "",
    spawn: (command: string, ...args: string[]) => new Client(command, args, own),
    [Symbol.asyncDispose]: () => moved[Symbol.asyncDispose](),
  };
}

for (const [resolution, env, resources] of RESOLUTIONS) {
  for (const form of FORMS) {
    Deno.test({
      name: `X11 with ${resolution}: reads, sets and clicks a form of ${form.name} at its position`,
      ignore: NEEDED.ignore || SESSION_BUS.ignore || need(form.needs).ignore,
    }, async () => {
      await using at = await session({ ...ALWAYS, ...env }, resources);
      await using running = at.spawn(form.program, ...form.args);
      const witness = (title: string) => at.bus.run("/usr/bin/python3", "-c", WITNESS, title);
      await checkForm(form, running, { api: at.api, via: "click", witness });
    });
  }
}

const [, FOUR, QT] = FORMS;

Deno.test({
  name: "says that a Qt program was started before the switch; restarted, it shows its elements",
  ignore: NEEDED.ignore || SESSION_BUS.ignore || need(QT.needs).ignore,
}, async () => {
  await using at = await session({}, "");
  const { api } = at, path = `elements?title=${encodeURIComponent(QT.title)}`;
  {
    await using _early = at.spawn(QT.program, ...QT.args);
    const { silent } = await until(() => api.get(path), ({ status }) => status === 200);
    assertMatch(
      silent,
      /it uses Qt and was started while accessibility is off: switch .*, then start it again$/,
    );
    assertMatch(
      await at.doctor(),
      /^accessibility is off: .* type at the prompt: elements on; the setting persists/,
    );
    const { changed, did } = await api.post("elements", { enabled: true });
    assertEquals(changed, true);
    assertMatch(
      did,
      /^accessibility of this session was off and is on: the setting org\.gnome\.desktop\.interface/,
    );
    const refused = await api.post("element/click", { title: QT.title, role: "button", name: "OK" });
    assertEquals([refused.status, refused.error], [
      409,
      `${
        JSON.stringify((await api.get(path)).window.title)
      } shows no elements: it uses Qt and was started before ` +
      "accessibility was switched on: start it again; if it then shows none, switch accessibility on (POST " +
      '/api/elements {"enabled":true}, or elements on) and start it once more',
    ]);
  }
  await using _again = at.spawn(QT.program, ...QT.args);
  await until(() => api.list(QT.title), (all) => all.some(({ name }) => name === "OK"));
});

/** A PyQt5 window with a button. */
const PYQT5 = `
import sys
from PyQt5.QtWidgets import QApplication, QPushButton
application = QApplication(sys.argv)
button = QPushButton("Save")
button.setWindowTitle("Ask PyQt")
button.show()
application.exec_()
`;

for (const knowsDisplay of [true, false]) {
  Deno.test({
    name: `a PyQt5 window started after the switch shows its elements, though none were read before${
      knowsDisplay ? "" : ", and the session's services do not know the display"
    }`,
    ignore: NEEDED.ignore || SESSION_BUS.ignore ||
      need(PYQT5_WIDGETS).ignore,
  }, async () => {
    await using at = await session({}, "", knowsDisplay);
    const { changed } = await at.api.post("elements", { enabled: true });
    assertEquals(changed, true);
    await using _window = at.spawn("/usr/bin/python3", "-c", PYQT5);
    await until(() => at.api.list("Ask PyQt"), (all) => all.some(({ name }) => name === "Save"));
    const again = await at.api.post("elements", { enabled: true });
    assertEquals(again.did, "accessibility was on already, and no setting is changed");
  });
}

Deno.test({
  name: "no response contains a password's text or length",
  ignore: NEEDED.ignore || SESSION_BUS.ignore || need(FOUR.needs).ignore,
}, async () => {
  await using at = await session({}, "");
  const secret = "geheim0815";
  await using _four = at.spawn(FOUR.program, ...FOUR.args, secret);
  await using _three = at.spawn("zenity", "--password", "--title", "Secret three");
  for (const title of [FOUR.title, "Secret three"]) {
    const elements = await until(
      () => at.api.list(title),
      (all) => all.some(({ role }) => role === "password"),
    );
    for (const { value } of elements.filter(({ role }) => role === "password")) {
      assertEquals(value, undefined);
    }
    const every = JSON.stringify(
      await at.api.get(`elements?visible=false&title=${encodeURIComponent(title)}`),
    );
    assertEquals(/geheim|[\u2022\u25cf]/.test(every), false, every);
  }
  const set = await at.api.post("element/set", { title: "Secret three", role: "password", text: secret });
  assertEquals([set.status, set.via, set.value], [200, "keys", undefined], JSON.stringify(set));
  const every = JSON.stringify(await at.api.list("Secret three"));
  assertEquals(/geheim|[\u2022\u25cf]/.test(every), false, every);
});

const TASKS = fromFileUrl(new URL("../../../examples/gui-tests/programs/tasks.py", import.meta.url));

Deno.test({
  name: "an element below its window's edge is pressed by its program, while the manager makes no room",
  ignore: NEEDED.ignore || SESSION_BUS.ignore ||
    need(PYQT5_WIDGETS).ignore,
}, async () => {
  await using at = await session(ALWAYS, "");
  await using _running = at.spawn("/usr/bin/python3", TASKS);
  const { api, manager } = at, title = "Tasks";
  const shows = (role: string, name: string) =>
    until(() => api.list(title), (all) => all.some((one) => one.role === role && one.name === name));
  await shows("textbox", "New task");
  Deno.kill(manager.pid, "SIGSTOP");
  try {
    for (const name of ["Milk", "Bread"]) {
      const set = await api.post("element/set", { title, role: "textbox", text: `${name}\n` });
      assertEquals(set.status, 200, JSON.stringify(set));
      await shows("checkbox", name);
    }
    const { status, via } = await api.post("element/click", { title, role: "checkbox", name: "Bread" });
    assertEquals([status, via], [200, "action"]);
    await shows("label", "1 to do");
  } finally {
    Deno.kill(manager.pid, "SIGCONT");
  }
  const { status, via } = await api.post("element/click", { title, role: "checkbox", name: "Bread" });
  assertEquals([status, via], [200, "click"]);
  await shows("label", "2 to do");
});

/** The process of a bus's accessibility registry. */
function registryOf({ folder }: SessionBus): number {
  const [pid] = Array.from(Deno.readDirSync("/proc"), ({ name }) => Number(name)).filter((pid) =>
    pid && readProc(`${pid}/comm`) === "at-spi2-registr\n" && readProc(`${pid}/environ`).includes(folder)
  );
  return pid;
}

Deno.test({
  name: "a text set after Enter does not overtake it, while the registry holds keys back",
  ignore: NEEDED.ignore || SESSION_BUS.ignore || need(PYQT5_WIDGETS).ignore,
}, async () => {
  await using at = await session(ALWAYS, "");
  await using _running = at.spawn("/usr/bin/python3", TASKS);
  const { api, bus } = at, title = "Tasks", tasks = ["Milk", "Bread", "Tea"];
  await until(() => api.list(title), (all) => all.some(({ role }) => role === "textbox"));
  const registry = registryOf(bus);
  Deno.kill(registry, "SIGSTOP"); // Qt then waits for 100 ms before it handles a key
  try {
    for (const task of tasks) {
      const set = await api.post("element/set", { title, role: "textbox", text: `${task}\n` });
      assertEquals(set.status, 200, JSON.stringify(set));
    }
  } finally {
    Deno.kill(registry, "SIGCONT");
  }
  const rows = await until(
    async () => (await api.list(title)).filter(({ role }) => role === "checkbox").map(({ name }) => name),
    (names) => names.length === tasks.length,
    String,
  );
  assertEquals(rows, tasks);
});
