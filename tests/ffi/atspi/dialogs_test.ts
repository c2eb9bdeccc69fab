/** Dialogs whose accessible name differs from their title, modal dialogs, and steps that meet one. */

import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { ElementsStage, gtkControls, qtControls, STAGE } from "../../support/elements.ts";
import { call, wordsOf } from "../../support/agent_tools.ts";
import { need } from "../../support/need.ts";
import { temporary, until } from "../../support/shell.ts";
import { PATIENCE_MS, patienceMs } from "../../support/waits.ts";
import { Client } from "../../support/xvfb.ts";

Deno.test("a GTK message dialog shows its elements, and stops steps that did not wait for it", {
  ignore: STAGE.ignore || need("mousepad").ignore,
}, async () => {
  await using stage = await ElementsStage.start();
  stage.start("mousepad");
  await stage.post("/api/wait", { window: { title: "Mousepad", active: true }, timeout_ms: 60_000 });
  const api = {
    request: (method: string, path: string, body?: unknown, init?: RequestInit) =>
      fetch(stage.url + path, { method, body: JSON.stringify(body), ...init }),
  };
  const actions = [
    { tool: "type", text: "a text" },
    { tool: "key", keys: "ctrl+q" },
    { tool: "wait", ms: Math.round(3000 * patienceMs() / PATIENCE_MS) },
    { tool: "type", text: "for the document" },
    { tool: "key", keys: "Return" },
  ];
  const answer = await call(api, "do", { actions, look: false });
  assertEquals(answer.isError, true);
  assertMatch(
    wordsOf(answer),
    /\n4\. not done: the window "Save Changes" became active, but no step waited for it; .*; 1 more not done\n/,
  );
  const elements = await until(() => stage.list("title=Save Changes"), (found) => found.length > 3);
  assertEquals(
    elements.filter(({ role }) => role === "button").map(({ name }) => name).sort(),
    ["Cancel", "Don't Save", "Save"],
  );
  const { error, via } = await stage.post("/api/element/click", {
    element: 'button "Cancel" in "Save Changes"',
  });
  assertEquals([error, via], [undefined, "click"]);
  const text = await until(() => stage.list("title=Mousepad&role=textbox"), (found) => found.length > 0);
  assertStringIncludes(text.at(-1)!.value ?? "", "a text");
});

Deno.test("a step fails with the error that a file dialog shows", {
  ignore: STAGE.ignore || need("mousepad").ignore,
}, async () => {
  await using stage = await ElementsStage.start();
  stage.start("mousepad");
  await stage.post("/api/wait", { window: { title: "Mousepad", active: true }, timeout_ms: 60_000 });
  const folder = await Deno.makeTempDir();
  stage.stack.defer(() => Deno.remove(folder, { recursive: true }));
  const save = (path: string) =>
    stage.post("/api/steps", { steps: [{ key: "ctrl+shift+s" }, { file: path }] });
  const refused = await save(`${folder}/none/a.txt`);
  assertEquals([refused.status, refused.ok, refused.done], [409, undefined, 1]);
  assertMatch(refused.error, /^2\. failed: the file dialog shows an error: .*No such file or directory$/);
  await stage.post("/api/steps", { steps: [{ key: "Escape" }, { key: "Escape" }], any_window: true });
  await stage.post("/api/wait", { window: { title: "Save As", gone: true } });
  const saved = await save(`${folder}/a.txt`);
  assertEquals([saved.error, saved.ok], [undefined, true]);
  await until(
    () => Array.from(Deno.readDirSync(folder), ({ name }) => name),
    (names) => names.includes("a.txt"),
  );
});

Deno.test("a step opens a file in a GTK 3 dialog, whose field appears only once a path is typed", {
  ignore: STAGE.ignore || need("mousepad").ignore,
}, async () => {
  await using stage = await ElementsStage.start();
  const folder = await Deno.makeTempDir(), file = `${folder}/opened.txt`;
  stage.stack.defer(() => Deno.remove(folder, { recursive: true }));
  await Deno.writeTextFile(file, "the file's own text");
  stage.start("mousepad");
  await stage.post("/api/wait", { window: { title: "Mousepad", active: true }, timeout_ms: 60_000 });
  const opened = await stage.post("/api/steps", { steps: [{ key: "ctrl+o" }, { file }] });
  assertEquals([opened.error, opened.ok], [undefined, true]);
  const shown = await stage.post("/api/wait", { window: { title: "opened.txt" } });
  assertEquals(shown.ok, true);
});

Deno.test("an agent sees that a dialog without a title is active", STAGE, async () => {
  await using stage = await ElementsStage.start();
  stage.start("/usr/bin/python3", "-c", UNTITLED);
  await stage.post("/api/wait", { window: { active: true }, timeout_ms: 60_000 });
  const api = {
    request: (method: string, path: string, body?: unknown, init?: RequestInit) =>
      fetch(stage.url + path, { method, body: JSON.stringify(body), ...init }),
  };
  assertMatch(wordsOf(await call(api, "see", {})), /^windows: "" \(active\); screen /);
});

/** A GTK 3 message dialog, which has no title. */
const UNTITLED = `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
Gtk.MessageDialog(buttons=Gtk.ButtonsType.YES_NO, text="Really?").run()
`;

/** A GTK 3 dialog that asks a question with the dialog's own title, as LibreOffice does to replace a file. */
const ASKING = `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
dialog = Gtk.Dialog(title="Save", default_width=900, default_height=600)
dialog.get_content_area().add(Gtk.Entry())
button = dialog.add_button("Save", 1)
def ask(_):
    question = Gtk.MessageDialog(transient_for=dialog, modal=True, message_type=Gtk.MessageType.QUESTION, text="Replace it?")
    question.set_title("Save")
    question.add_button("No", 0)
    question.add_button("Yes", 1)
    print(question.run(), flush=True)
    question.destroy()
button.connect("clicked", ask)
dialog.show_all()
Gtk.main()
`;

for (const isReadBefore of [true, false]) {
  Deno.test(
    `a question with the title of its dialog shows its own elements${isReadBefore ? "" : ", even first"}`,
    {
      ignore: STAGE.ignore || need(...gtkControls(3).needs).ignore,
    },
    async () => {
      await using stage = await ElementsStage.start();
      const client = stage.stack.use(new Client("/usr/bin/python3", ["-c", ASKING], stage.env));
      await stage.post("/api/wait", { window: { title: "Save", active: true }, timeout_ms: 60_000 });
      if (isReadBefore) {
        await until(() => stage.list("title=Save&role=button"), (found) => found.length > 0);
        await stage.post("/api/element/click", { role: "button", name: "Save" });
      } else {
        await stage.post("/api/key", { keys: "Tab" });
        await stage.post("/api/key", { keys: "Return" });
      }
      const { windows } = await until(() => stage.get("/api/windows"), ({ windows }) => windows.length === 2);
      const [question, dialog] = windows as { id: string }[];
      await until(
        () => stage.list(`id=${question.id}&role=button`),
        (found) => found.some(({ name }) => name === "Yes"),
      );
      const buttons = async (id: string) =>
        (await stage.list(`id=${id}&role=button`)).map(({ name }) => name).sort();
      assertEquals([await buttons(question.id), await buttons(dialog.id)], [["No", "Yes"], ["Save"]]);
      const clicked = await stage.post("/api/element/click", { id: question.id, name: "Yes" });
      assertEquals([clicked.error, clicked.via], [undefined, "click"]);
      assertEquals((await client.printing((text) => text.includes("\n"))).trim(), "1");
    },
  );
}

Deno.test(
  "menus are searched for the next entry alone, and closed if it is missing; a panel stands for its only field",
  {
    ignore: STAGE.ignore || need("mousepad").ignore,
  },
  async () => {
    await using stage = await ElementsStage.start();
    stage.start("mousepad");
    await stage.post("/api/wait", { window: { title: "Mousepad", active: true }, timeout_ms: 60_000 });
    const choose = (...menu: string[]) => stage.post("/api/steps", { steps: [{ menu }], any_window: true });
    const missing = await choose("File", "Help");
    assertMatch(
      missing.error,
      /^1\. failed: no menu in ".*Mousepad" has an entry "Help"; available: "New", .*"Quit"$/,
    );
    const entries = async () =>
      (await stage.list("title=Mousepad&role=menuitem")).filter(({ states }) => !states.includes("hidden"));
    await until(entries, (found) => found.length === 0);
    // A panel stands for the only field in it.
    await choose("Edit", "Preferences...");
    await stage.post("/api/wait", { window: { title: "Preferences", active: true }, timeout_ms: 60_000 });
    const filled = await stage.post("/api/steps", { steps: [{ fill: { "Color Scheme": "Kate" } }] });
    assertEquals(filled.error, undefined);
    const boxes = await stage.list("title=Preferences&role=combobox");
    assertEquals(boxes.map(({ value }) => value), ["Kate"]);
    await stage.post("/api/window/close", { title: "Preferences" });
    const { error } = await choose("Help", "About");
    assertEquals(error, undefined);
    await stage.post("/api/wait", { window: { title: "About", active: true }, timeout_ms: 60_000 });
  },
);

/** Actions on a check box at each endpoint. */
const PRESSES: readonly [path: string, body: (box: string) => unknown][] = [
  ["/api/element/click", (element) => ({ element })],
  ["/api/click", (element) => ({ element })],
  ["/api/press", (element) => ({ button: "left", element })],
  ["/api/drag", (element) => ({ from: { element }, to: { x: 1, y: 1 } })],
  ["/api/scroll", (element) => ({ direction: "down", amount: 1, element })],
  ["/api/element/focus", (element) => ({ element })],
  ["/api/element/set", (element) => ({ element, to: true })],
  ["/api/steps", (element) => ({ steps: [{ click: element }], any_window: true })],
];

for (const program of [gtkControls(3), gtkControls(4), qtControls(5), qtControls(6)]) {
  Deno.test(`does not click behind a modal ${program.name} dialog, and names the dialog`, {
    ignore: STAGE.ignore || need(...program.needs).ignore,
  }, async () => {
    await using stage = await ElementsStage.start();
    const client = await stage.controls(program), box = 'checkbox "Newsletter" in "Controls"';
    const ask = async () => {
      const { error } = await stage.post("/api/element/click", { element: 'button "Ask" in "Controls"' });
      assertEquals(error, undefined);
      await stage.post("/api/wait", { window: { title: "Asked", active: true }, timeout_ms: 60_000 });
    };
    await ask();
    for (const [path, body] of PRESSES) {
      const { status, error } = await stage.post(path, body(box));
      assertEquals(status, 409, `${path}: ${error}`);
      assertMatch(error, /checkbox "Newsletter" \(e\d+\) is disabled: the dialog "Asked" is in the way$/);
    }
    const moved = await stage.post("/api/move", { element: box });
    assertEquals([moved.status, moved.ok], [200, true]);
    // The program itself can set text in such a window, and it is read back.
    const set = await stage.post("/api/element/set", { element: 'textbox in "Controls"', text: "Ada" });
    assertEquals([set.error, set.value], [undefined, "Ada"]);
    const inDialog = await stage.post("/api/element/click", { element: 'button "OK" in "Asked"' });
    assertEquals([inDialog.error, inDialog.via], [undefined, "click"]);
    await stage.post("/api/wait", { window: { title: "Asked", gone: true }, timeout_ms: 60_000 });
    await client.printing((printed) => printed.includes("Name=Ada"));
    assertEquals(/Newsletter/.test(client.printed), false);
    const clicked = await stage.post("/api/element/click", { element: box });
    assertEquals([clicked.error, clicked.via], [undefined, "click"]);
    await until(() => client.printed, (printed) => printed.includes("Newsletter=True"));
  });
}

const UNDER_MENU = / \(e\d+\) is covered by an open menu \(choose an item or press Escape first\)/;

for (const program of [gtkControls(3), gtkControls(4), qtControls(5), qtControls(6)]) {
  const pressesBoxes = program.name !== "GTK 4"; // its check boxes have no action
  Deno.test(`an open menu of a ${program.name} program takes no press that is meant for another element`, {
    ignore: STAGE.ignore || need(...program.needs).ignore,
  }, async () => {
    await using stage = await ElementsStage.start();
    const client = await stage.controls(program);
    const click = (element: string, path = "element/click") =>
      stage.post(`/api/${path}`, { element: `${element} in "Controls"`, button: "left" });
    const opened = await stage.post("/api/element/click", {
      element: 'combobox in "Controls"',
      observe: true,
    });
    assertEquals([opened.error, opened.via, opened.seen?.verdict], [undefined, "click", "hit"]);
    const news = await click('checkbox "Newsletter"');
    if (pressesBoxes) assertEquals([news.error, news.via], [undefined, "action"]);
    else assertMatch(news.error, UNDER_MENU);
    await until(() => client.printed, (printed) => printed.includes("Newsletter=True") === pressesBoxes);
    const { ref } = (await stage.list("title=Controls&role=listitem")).findLast(({ y }) => y !== undefined)!;
    for (const element of ['textbox in "Controls"', ref]) {
      for (const path of ["element/click", "click"]) {
        const { status, error } = await stage.post(`/api/${path}`, { element });
        assertEquals(status, 409, `${path} ${element}: ${error}`);
        assertMatch(error, UNDER_MENU);
      }
    }
    await stage.post("/api/key", { keys: "Escape" });
    await until(async () => (await click("textbox")).via, (via) => via === "click");
    assertEquals(/Country/.test(client.printed), false);
  });
}

for (const release of [3, 4] as const) {
  Deno.test(`an open GTK ${release} popover takes no press that is meant for another element`, {
    ignore: STAGE.ignore || need(...gtkControls(release).needs).ignore,
  }, async () => {
    await using stage = await ElementsStage.start();
    const client = await stage.controls(gtkControls(release));
    const click = (name: string) => stage.post("/api/element/click", { title: "Controls", name });
    assertEquals((await click("More")).via, "click");
    const [inside] = await until(
      () => stage.list("title=Controls&name=Inside"),
      (found) => found.length > 0,
    );
    assertEquals(inside.x === undefined, release === 4); // GTK 4.8 does not know where its popovers are
    const { error } = await click("Newsletter");
    assertMatch(
      error,
      release === 4
        ? UNDER_MENU
        : /^checkbox "Newsletter" \(e\d+\) is disabled: the popover with "Inside" is in the way$/,
    );
    assertEquals((await click("Inside")).error, undefined);
    await until(() => client.printed, (printed) => printed.includes("Inside=1"));
    assertEquals(client.printed.includes("Newsletter"), false);
  });
}

/** A GTK 3 button with a menu, and Qt's menu bar, each with the item "New". */
const GTK_MENU = `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gio, Gtk
window = Gtk.Window(title="Menus")
actions = Gio.SimpleActionGroup()
actions.add_action(Gio.SimpleAction.new("new", None))
actions.lookup_action("new").connect("activate", lambda *_: print("New", flush=True))
window.insert_action_group("win", actions)
menu = Gio.Menu()
menu.append("New", "win.new")
window.add(Gtk.MenuButton(label="File", use_popover=False, menu_model=menu))
window.show_all()
Gtk.main()
`;
const QT_MENU = `
import importlib, sys
Qt = importlib.import_module(sys.argv[1] + ".QtWidgets")
app = Qt.QApplication([])
window = Qt.QMainWindow(windowTitle="Menus")
window.menuBar().addMenu("File").addAction("New").triggered.connect(lambda: print("New", flush=True))
window.show()
app.exec()
`;

for (
  const [source, controls] of [[GTK_MENU, gtkControls(3)], [QT_MENU, qtControls(5)], [
    QT_MENU,
    qtControls(6),
  ]] as const
) {
  Deno.test(`the items of an open ${controls.name} menu are listed and can be clicked`, {
    ignore: STAGE.ignore || need(...controls.needs).ignore,
  }, async () => {
    await using stage = await ElementsStage.start();
    await stage.post("/api/elements", { enabled: true });
    const args = ["-c", source, controls.args.at(-1)!];
    const client = stage.stack.use(new Client("/usr/bin/python3", args, stage.env));
    await until(() => stage.list("title=Menus&name=File"), (found) => found.length > 0);
    const click = (name: string) => stage.post("/api/element/click", { title: "Menus", name });
    assertEquals((await click("File")).via, "click");
    await until(() => stage.list("title=Menus&name=New"), (found) => found.length > 0);
    assertEquals((await click("New")).error, undefined);
    await client.printing((text) => text.includes("New"));
  });
}

Deno.test("an editable GTK 3 combo box accepts text that its list does not have", {
  ignore: STAGE.ignore || need("mousepad").ignore,
}, async () => {
  await using stage = await ElementsStage.start();
  stage.start("mousepad");
  await stage.post("/api/wait", { window: { title: "Mousepad", active: true }, timeout_ms: 60_000 });
  const { error, done } = await stage.post("/api/steps", {
    steps: [
      { type: "one two three" },
      { menu: "Search > Find and Replace..." },
      { fill: { "Search for": "two", "Replace with": "zwei" } },
      { click: 'button "Replace"' },
    ],
    any_window: true,
  });
  assertEquals([error, done], [undefined, 4]);
  await until(
    () => stage.list("title=Untitled&role=textbox"),
    (fields) => fields.some(({ value }) => value === "one zwei three"),
  );
});

/** A page with a dialog of each kind, and a button that counts its clicks; `leave` is asked about only then. */
const ASKING_PAGE = `<!doctype html><title>Asking</title>
<button onclick="setTimeout(() => alert('Told'))">Tell</button>
<button onclick="setTimeout(() => prompt('Your name?'))">Ask</button>
<button onclick="onbeforeunload = (event) => event.preventDefault(), setTimeout(() => location = '/left')">
Leave</button>
<button onclick="document.title = 'Asking ' + ++globalThis.clicks">Count</button>
<label>Name <input></label><script>clicks = 0</script>`;

/** The programs that show the page, and the title of its alert. */
const BROWSERS = [
  {
    name: "firefox-esr",
    args: (home: string) => ["--no-remote", "--profile", home],
    says: /^The page at http/,
    leave: /^Are you sure\?$/,
  },
  {
    name: "chromium",
    args: (home: string) => [
      ...["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"],
      ...["--force-renderer-accessibility", `--user-data-dir=${home}`],
    ],
    says: /^127\.0\.0\.1:\d+ says$/,
    leave: /^Leave site\?$/,
  },
];

for (const { name, args, says, leave } of BROWSERS) {
  Deno.test(`does not click behind a dialog of a page in ${name}, whose other parts stay usable`, {
    ignore: STAGE.ignore || need(name).ignore,
  }, async () => {
    await using stage = await ElementsStage.start();
    await stage.post("/api/elements", { enabled: true });
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      () => new Response(ASKING_PAGE, { headers: { "content-type": "text/html" } }),
    );
    await temporary(async (home) => {
      const address = `http://127.0.0.1:${server.addr.port}/`;
      const env = { ...stage.env, HOME: home, XDG_RUNTIME_DIR: home };
      await using _browser = new Client(name, [...args(home), address], env);
      const click = async (button: string) =>
        await stage.post("/api/element/click", { element: `button "${button}" in "Asking"` });
      await until(
        () => stage.list("title=Asking&role=button&name=Count&exact=true"),
        ({ length }) => length === 1,
      );
      const rows = [["Tell", says, "OK"], ["Ask", says, "Cancel"], ["Leave", leave, undefined]] as const;
      for (const [opener, title, answer] of rows) {
        const opened = await click(opener);
        assertEquals([opened.error, opened.via], [undefined, "click"]);
        const { error } = await until(
          () => click("Count"),
          ({ error = "does not answer" }) => !/does not answer|moved while/.test(error),
        );
        const [, dialog] =
          /^button "Count" \(e\d+\) is disabled: the dialog "(.*)" is in the way$/.exec(error) ??
            [];
        assertMatch(dialog ?? `none: ${error}`, title);
        for (const path of ["set", "focus"]) {
          const body = { element: 'textbox "Name" in "Asking"', ...path === "set" ? { text: "Ada" } : {} };
          const { status, error } = await stage.post(`/api/element/${path}`, body);
          assertEquals([status, error?.endsWith("is in the way")], [409, true], `${path}: ${error}`);
        }
        const bar = { role: "button", name: "Reload", window: { title: "Asking" } };
        assertEquals((await stage.post("/api/move", { element: bar })).error, undefined);
        if (!answer) break;
        const answered = await stage.post("/api/element/click", {
          name: answer,
          exact: true,
          title: "Asking",
        });
        assertEquals([answered.error, answered.via], [undefined, "click"]);
        await until(() => click("Count"), ({ error }) => error === undefined);
      }
    });
  });
}
