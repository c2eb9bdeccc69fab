/** WebDriver as suites use it: unchanged clients drive real programs, whose own output is checked. */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Builder, By, Capabilities, Key, until as found } from "selenium-webdriver";
import { remote } from "webdriverio";
import { numbersIn, readProc } from "../../core/proc.ts";
import { type ElementsStage, gtkControls, qtControls, STAGE } from "../support/elements.ts";
import { need } from "../support/need.ts";
import { rawStatus, sendRaw } from "../support/notify_socket.ts";
import { Program } from "../support/program.ts";
import { mustRun, temporary, until } from "../support/shell.ts";
import { PATIENCE_MS } from "../support/waits.ts";
import { Client } from "../support/xvfb.ts";
import { webDriverStage } from "../support/webdriver.ts";
import { ELEMENT, WebDriverClient } from "../support/webdriver_client.ts";

const SUITE = fromFileUrl(new URL("./webdriver_suite.py", import.meta.url));
const PROGRAMS = need(
  "zenity",
  "kcalc",
  "xdotool",
  "xinput",
  "/usr/lib/python3/dist-packages/selenium/__init__.py",
);
const FORM = "zenity --entry --title Ask --text Name";

const test = (name: string, fn: (t: Deno.TestContext) => Promise<void>) =>
  Deno.test({ name, ignore: STAGE.ignore || PROGRAMS.ignore, fn });

/**
 * The command lines of a stage's running programs that begin like this, whatever folder the program is in.
 */
function running(words: string, { env: { DISPLAY } }: ElementsStage): string[] {
  return numbersIn("").filter((pid) => readProc(`${pid}/environ`).includes(`DISPLAY=${DISPLAY}\0`))
    .map((pid) => readProc(`${pid}/cmdline`).replaceAll("\0", " ").replace(/^\/\S*\//, ""))
    .filter((line) => line.startsWith(words));
}

test("python3-selenium, selenium-webdriver and webdriverio drive real programs unchanged", async (t) => {
  const { stage, url } = await webDriverStage("--webdriver-open", "zenity, kcalc");
  await using _ = stage;
  for (const name of ["form", "calculator", "kde", "opencloud"]) {
    await t.step(`python3-selenium: ${name}`, async () => {
      const { code, stdout, stderr } = await new Deno.Command("/usr/bin/python3", {
        args: [SUITE, url, name],
        env: stage.env,
      }).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      assertEquals(new TextDecoder().decode(stdout), `${name}\n`);
    });
  }
  await t.step("selenium-webdriver", async () => {
    const wanted = new Capabilities({ "appium:app": FORM, platformName: "linux", browserName: "" });
    const driver = await new Builder().usingServer(url).withCapabilities(wanted).build();
    try {
      await driver.switchTo().window("Ask");
      const field = await driver.findElement(By.css("text"));
      await field.sendKeys("Ada ", Key.chord(Key.SHIFT, "x"), "ß");
      assertEquals(await field.getText(), "Ada Xß");
      assertEquals([await field.getAttribute("focused"), await field.isDisplayed()], ["true", true]);
      const ok = await driver.wait(found.elementLocated(By.name("OK")), PATIENCE_MS);
      assertEquals([await ok.getTagName(), await ok.isEnabled(), await ok.getAriaRole()], [
        "button",
        true,
        "button",
      ]);
      await driver.actions().click(field).sendKeys(Key.HOME, "Bob").perform();
      await driver.wait(async () => await field.getText() === "BobAda Xß", PATIENCE_MS);
    } finally {
      await driver.quit();
    }
  });
  await t.step("webdriverio", async () => {
    const driver = await remote({
      hostname: "127.0.0.1",
      port: Number(new URL(url).port),
      path: "/wd/hub",
      logLevel: "error",
      capabilities: {
        platformName: "linux",
        "appium:automationName": "deskhand",
        "appium:app": FORM,
      } as object,
    });
    const field = driver.$("//text");
    await field.setValue("Ada");
    await field.addValue("+1");
    assertEquals([await field.getText(), await field.isDisplayed()], ["Ada+1", true]);
    const ok = driver.$("~OK");
    assertEquals([await ok.getTagName(), await ok.isEnabled()], ["button", true]);
    assertEquals([await field.isFocused(), await ok.isFocused(), await ok.isEqual(await ok.getElement())], [
      true,
      false,
      true,
    ]);
    await driver.switchWindow("Ask"); // webdriverio then takes the session for a browser's
    assertEquals([await ok.isDisplayed(), await ok.isClickable()], [true, true]);
    assertMatch(await ok.getHTML(), /^<button name="OK" .*<.button>$/);
    await ok.click();
    await driver.deleteSession();
  });
  assertEquals(running("zenity", stage), []);
  assertEquals(running("kcalc", stage), []);
});

test("the documentation's first tests run as written, except for the port", async (t) => {
  const { stage, url } = await webDriverStage("--webdriver-open", "kcalc");
  await using _ = stage;
  const page = await Deno.readTextFile(new URL("../../docs/webdriver.md", import.meta.url));
  const deno = ["run", "-A", "-q", "--config", fromFileUrl(new URL("../deno.json", import.meta.url))];
  const languages = [["python", "py", "/usr/bin/python3", []], ["ts", "ts", Deno.execPath(), deno]] as const;
  for (const [language, extension, command, args] of languages) {
    await t.step(language, async () => {
      const [, sample] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "s").exec(page)!;
      assert(sample.trimEnd().split("\n").filter((line) => line !== "").length <= 11, sample);
      await temporary(async (folder) => {
        const file = `${folder}/sample.${extension}`;
        await Deno.writeTextFile(file, sample.replaceAll("4723", new URL(url).port));
        // Deno's packages are not in the stage's own cache.
        const cache = Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`;
        const { code, stdout, stderr } = await new Deno.Command(command, {
          args: [...args, file],
          env: { ...stage.env, XDG_CACHE_HOME: cache, WDIO_LOG_LEVEL: "error" },
        }).output();
        assertEquals(code, 0, new TextDecoder().decode(stderr));
        assertEquals(new TextDecoder().decode(stdout), language === "ts" ? "7\n" : "");
      });
    });
  }
  assertEquals(running("kcalc", stage), []);
});

test("the conventions of Appium's clients hold, and every error has its code, status and message", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "zenity", "--webdriver-wait", "1");
  await using _ = stage;
  const client = new WebDriverClient(`${url}/wd/hub`);
  assertEquals((await client.send("GET", "/status")).value.ready, true);
  const { value: { capabilities } } = await client.open({
    "appium:options": { app: "zenity", appArguments: ["--entry", "--title", "Two Words", "--text", "Name"] },
    "appium:environ": { LC_ALL: "C.UTF-8" },
    browserName: "chrome",
  });
  const { setWindowRect, browserName, platformName } = capabilities;
  assertEquals([setWindowRect, browserName, platformName, capabilities["appium:automationName"]], [
    true,
    "",
    "linux",
    "deskhand",
  ]);
  assertEquals(await client.get("/title"), "Two Words");
  assertEquals((await client.get("/timeouts")).implicit, 1000);
  await client.post("/timeouts/implicit_wait", { ms: 0 });
  await client.post("/timeouts", { type: "page load", ms: 5000 });
  assertEquals((await client.get("/timeouts")).pageLoad, 5000);
  assertEquals(await client.get("/appium/capabilities"), { capabilities: await client.get("") });
  assertEquals((await client.send("GET", "/appium/sessions")).value.length, 1);
  const states: [app: string | undefined, state: number, isInstalled: boolean][] = [
    [undefined, 4, false],
    ["zenity", 4, true],
    ["org.gnome.Zenity.desktop", 4, false],
    ["banana", 1, false],
    ["/usr/bin/zenity", 1, false],
  ];
  for (const [appId, state, isInstalled] of states) {
    assertEquals(await client.post("/appium/device/app_state", { appId }), state, appId);
    const script = { script: "mobile: isAppInstalled", args: [{ appId, bundleId: appId }] };
    assertEquals(await client.post("/execute/sync", script), isInstalled, appId);
  }
  const clip = btoa("from the suite");
  await client.post("/execute/sync", { script: "mobile: setClipboard", args: [{ content: clip }] });
  assertEquals(await client.post("/appium/device/get_clipboard", {}), clip);
  const shaken = await client.fail("POST", "/execute/sync", { script: "mobile: shake", args: [] });
  assertMatch(shaken[1], /^there is no mobile: shake; mobile: knows getClipboard, .*, keys$/);
  assertEquals(shaken[2], 405);
  const field = await client.find("class name", "text"), ok = await client.find("accessibility id", "OK");
  await client.post(`/appium/element/${field}/value`, { text: "set" });
  assertEquals(await client.get(`/element/${field}/text`), "set");
  assertEquals((await client.get("/element/active"))[ELEMENT], field);
  const atom = "/* get-attribute */ return (function(){})";
  assertEquals(
    await client.post("/execute/sync", { script: atom, args: [{ [ELEMENT]: field }, "text"] }),
    "set",
  );
  const bare = { script: "return (function(){}).apply(null, arguments)", args: [{ [ELEMENT]: ok }] };
  assertEquals(await client.post("/execute/sync", bare), true);
  assertMatch(
    await client.get("/source"),
    /<text name="Name" role="text" .* x="\d+" y="\d+" width="\d+" height="\d+"/,
  );

  const cases: [method: string, path: string, body: unknown, error: [string, number], words: string][] = [
    ["POST", "/element", { using: "name", value: "Nope" }, ["no such element", 404], "Nope"],
    ["POST", "/element", { using: "xpath", value: "//*[" }, ["invalid selector", 400], "//*["],
    ["POST", "/element", { using: 5 }, ["invalid argument", 400], "using"],
    ["GET", "/element/e99999/text", undefined, ["no such element", 404], "e99999"],
    ["GET", "/element/banana/text", undefined, ["no such element", 404], "banana"],
    ["POST", `/element/${ok}/clear`, {}, ["invalid element state", 400], '"OK"'],
    ["POST", "/window", { handle: "0x1" }, ["no such window", 404], "0x1"],
    ["POST", "/timeouts", { implicit: -1 }, ["invalid argument", 400], "implicit"],
    ["POST", "/url", { url: "http://x" }, ["unsupported operation", 500], "browsers"],
    [
      "POST",
      "/execute/sync",
      { script: "return 1", args: [] },
      ["unsupported operation", 500],
      "deskhand: NAME",
    ],
    ...([
      ["windows: click", { elementId: ok, modifierKeys: "shift" }, "takes no modifierKeys"],
      ["windows: click", { elementId: ok, x: 1, y: 1 }, "either an element"],
      ["windows: click", { x: 1 }, "y must be"],
      ["windows: scroll", { elementId: ok }, "deltaX or deltaY"],
      ["windows: scroll", { elementId: ok, deltaY: "a" }, "deltaY"],
      ["windows: setValue", { elementId: field }, "value"],
    ] as const).map(([script, given, words]): typeof cases[number] => {
      return ["POST", "/execute/sync", { script, args: [given] }, ["invalid argument", 400], words];
    }),
    [
      "POST",
      "/execute/sync",
      { script: "mobile: setClipboard", args: [{ content: clip, contentType: "image" }] },
      ["unsupported operation", 500],
      "plaintext",
    ],
    [
      "POST",
      "/appium/device/get_clipboard",
      { contentType: "image" },
      ["unsupported operation", 500],
      "text",
    ],
    [
      "POST",
      "/execute/sync",
      { script: "deskhand: clickOnElement", args: [{ element: "banana" }] },
      ["no such element", 404],
      "banana",
    ],
    ["POST", "/actions", { actions: 5 }, ["invalid argument", 400], "actions"],
    [
      "POST",
      "/actions",
      {
        actions: [{ type: "pointer", id: "p", actions: [{ type: "pointerMove", x: 99999, y: 0 }] }],
      },
      ["move target out of bounds", 500],
      "99999",
    ],
    ["GET", "/banana", undefined, ["unknown command", 404], "banana"],
  ];
  for (const [method, path, body, [code, status], words] of cases) {
    const [actual, message, actualStatus] = await client.fail(method, path, body);
    assertEquals([actual, actualStatus], [code, status], `${method} ${path}: ${message}`);
    assertStringIncludes(message, words);
  }
  const nul = await client.send("POST", "/session", {
    capabilities: { alwaysMatch: { "appium:app": "zenity", "appium:appArguments": ["a\0b"] } },
  });
  assertEquals([nul.status, nul.value.error], [500, "session not created"]);
  assertEquals(nul.value.message, "zenity cannot be given a NUL character");
  const began = performance.now();
  await client.post("/timeouts", { implicit: 400 });
  assertEquals(
    (await client.fail("POST", "/element", { using: "name", value: "Nope" }))[0],
    "no such element",
  );
  assert(performance.now() - began >= 400);

  assertEquals(await client.get(`/element/${ok}/displayed`), true);
  await client.post(`/element/${ok}/click`);
  await until(
    async () => (await client.fail("GET", `/element/${ok}/text`))[0],
    (code) => code === "stale element reference",
  );
  await until(async () => (await client.fail("GET", "/title"))[0], (code) => code === "no such window");
  await client.quit();
  assertEquals((await client.fail("GET", "/title"))[0], "invalid session id");

  const ended = async () => {
    await client.open({ timeouts: { implicit: 60_000 } });
    const waiting = client.fail("POST", "/element", { using: "name", value: "Nope" });
    await client.quit();
    return await waiting;
  };
  const [code] = await until(ended, ([, message]) => message === "the session has ended");
  assertEquals(code, "invalid session id");
});

test("the implicit wait is a single wait: an element is found as soon as its program shows it", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "sh");
  await using _ = stage;
  const client = new WebDriverClient(url);
  const later = "sh -c 'zenity --info --title First --text One; zenity --info --title Second --text Two'";
  await client.open({ "appium:app": later, timeouts: { implicit: 60_000 } });
  await client.post(`/element/${await client.find("name", "OK")}/click`);
  const label = await client.find("name", "Two");
  assertEquals(await client.get(`/element/${label}/name`), "label");
  assertEquals(await client.get("/title"), "Second");
  await client.quit();
  assertEquals(running("zenity --info", stage), []);
});

/** A PyQt5 window in which a button changes other elements' roles: the field keeps its name and states. */
const CHANGING = `
from PyQt5.QtGui import QPixmap
from PyQt5.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget
application = QApplication([])
window = QWidget()
layout = QVBoxLayout(window)
secret = QLineEdit("geheim0815", echoMode=QLineEdit.Password)
label, change = QLabel("Wait"), QPushButton("Change")
for widget in (secret, label, change):
    layout.addWidget(widget)
def changed():
    secret.setEchoMode(QLineEdit.Normal)
    label.setPixmap(QPixmap(20, 20))
change.clicked.connect(changed)
change.setFocus()
window.show()
application.exec_()
`;

Deno.test({
  name: "an element's role is reread when the program changes it",
  ignore: STAGE.ignore || PROGRAMS.ignore ||
    need("/usr/lib/python3/dist-packages/PyQt5/QtWidgets.abi3.so").ignore,
}, async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "/usr/bin/python3");
  await using _ = stage;
  const client = new WebDriverClient(url);
  await client.open({ "appium:app": "/usr/bin/python3", "appium:appArguments": ["-c", CHANGING] });
  const tags = async () => {
    const source = await client.get("/source");
    return Array.from(source.matchAll(/<(\w+) name="[^"]*" role=/g), ([, tag]) => tag).slice(2);
  };
  const before = ["password_text", "label", "button"];
  assertEquals(await tags(), before);
  assertEquals(await tags(), before);
  await client.post(`/element/${await client.find("name", "Change")}/click`);
  const after = await until(tags, ([secret, label]) => secret !== "password_text" && label !== "label");
  assertEquals(after, ["text", "image", "button"]);
  await client.quit();
});

/** A GTK 3 window with a focused field, and a button that leaves the window and stays in memory. */
const LEAVING = `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
window, box = Gtk.Window(title="Leaving"), Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
leave, countries = Gtk.Button(label="Leave"), Gtk.ComboBoxText()
leave.connect("clicked", lambda _: box.remove(leave))
for name in ("Norway", "Peru"):
    countries.append_text(name)
country = Gtk.Label(label="Country", mnemonic_widget=countries)
for child in (Gtk.Entry(), Gtk.Label(label="Hint"), country, countries, leave):
    box.add(child)
window.add(box)
window.show_all()
Gtk.main()
`;

test("fields have the names of their labels, keys go to no other element, and an element that left its window is stale", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "/usr/bin/python3");
  await using _ = stage;
  const client = new WebDriverClient(url);
  await client.open({ "appium:app": "/usr/bin/python3", "appium:appArguments": ["-c", LEAVING] });
  const field = await client.find("tag name", "text"), text = () => client.get(`/element/${field}/text`);
  await client.post(`/element/${field}/value`, { text: "a" });
  const hint = await client.find("name", "Hint");
  assertEquals(await client.fail("POST", `/element/${hint}/value`, { text: "b" }), [
    "element not interactable",
    'label "Hint" does not take the keyboard, which text "" has',
    400,
  ]);
  await client.post(`/element/${await client.find("tag name", "frame")}/value`, { text: "c" });
  assertEquals(await text(), "ac");

  const countries = await client.find("name", "Country");
  assertEquals(await client.get(`/element/${countries}/text`), "");
  await client.post(`/appium/element/${countries}/value`, { text: "Peru" });
  assertEquals(await client.find("xpath", "//combo_box[@name='Country']"), countries);
  assertEquals(await client.find("name", "Country"), countries);
  assertEquals(await client.get(`/element/${countries}/name`), "combo_box");
  assertEquals(await client.get(`/element/${countries}/text`), "Peru");
  assertEquals(await client.post("/execute/sync", { script: "return window.name", args: [] }), "Leaving");

  const leave = await client.find("name", "Leave");
  await client.post(`/element/${leave}/click`);
  await until(() => client.fail("GET", `/element/${leave}/text`), ([code]) => code !== undefined);
  for (const [method, part] of [["GET", "text"], ["GET", "displayed"], ["POST", "click"]] as const) {
    const [code] = await client.fail(method, `/element/${leave}/${part}`);
    assertEquals(code, "stale element reference", part);
  }
  await client.quit();
});

/** A GTK 3 window with two pages and a modal dialog, which prints what is pressed. */
const PAGES = `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
def told(label):
    button = Gtk.Button(label=label)
    button.connect("clicked", lambda _: print(label, flush=True))
    return button
def ask(_):
    dialog = Gtk.Dialog(title="Confirm", transient_for=window, modal=True)
    dialog.add_button("Stop", 1)
    dialog.connect("response", lambda it, _: it.destroy())
    dialog.show()
window, pages, form, items = Gtk.Window(title="Pages"), Gtk.Notebook(), Gtk.VBox(), Gtk.VBox()
store, button = Gtk.ListStore(str), Gtk.Button(label="Ask")
for name in ("One", "Two"):
    store.append([name])
table = Gtk.TreeView(model=store)
table.append_column(Gtk.TreeViewColumn("Item", Gtk.CellRendererText(), text=0))
table.connect("row-activated", lambda *_: print("row", flush=True))
button.connect("clicked", ask)
for child in (button, told("Front")):
    form.add(child)
for child in (table, told("Back")):
    items.add(child)
pages.append_page(form, Gtk.Label(label="Form"))
pages.append_page(items, Gtk.Label(label="Items"))
window.add(pages)
window.show_all()
Gtk.main()
`;

/** A session for the program with pages. */
async function pagesSession() {
  const { stage, url } = await webDriverStage(), client = new WebDriverClient(url);
  await stage.post("/api/elements", { enabled: true });
  const program = stage.stack.use(new Client("/usr/bin/python3", ["-c", PAGES], stage.env));
  await until(() => stage.list("title=Pages"), (elements) => elements.some(({ name }) => name === "Front"));
  await client.open({ "appium:app": String(program.pid) });
  return { stage, client, program };
}

test("behind a modal dialog nothing is clicked, not even on hidden pages, and windows can be switched", async () => {
  const { stage, client, program } = await pagesSession();
  await using _ = stage;
  const own = await client.get("/window");
  const hidden = await Promise.all(
    ["Two", "Back"].map((name) => client.find("xpath", `//*[@name='${name}']`)),
  );
  await client.post(`/element/${await client.find("name", "Ask")}/click`);
  const handles = await until(() => client.get("/window/handles"), (all) => all.length === 2);
  for (const element of hidden) {
    const [code, message] = await client.fail("POST", `/element/${element}/click`);
    assertEquals(code, "element not interactable");
    assertMatch(message, /the dialog "Confirm" is in the way$/);
  }
  const dialog = handles.find((id: string) => id !== own);
  for (const [handle, title] of [[dialog, "Confirm"], [own, "Pages"], [dialog, "Confirm"]]) {
    await client.post("/window", { handle });
    assertEquals(await client.get("/title"), title);
  }
  const activated = await stage.post("/api/window/activate", { id: own });
  assertEquals([activated.status, activated.error], [
    409,
    '"Pages" is not active: the dialog "Confirm" is in the way',
  ]);
  await client.post(`/element/${await client.find("name", "Stop")}/click`);
  await until(() => client.get("/window/handles"), (all) => all.length === 1);
  await client.post("/window", { handle: own });
  await client.post(`/element/${hidden[1]}/click`);
  assertEquals(await program.printing((text) => text.includes("Back")), "Back\n");
  await client.quit();
});

test("a minimized window is restored by clicks at every door, and by changes, which answer where it is then", async () => {
  const { stage, client, program } = await pagesSession();
  await using _ = stage;
  const id = await client.get("/window"), element = 'button "Front" in "Pages"';
  const front = await client.find("name", "Front");
  const clicks: [name: string, click: () => Promise<unknown>][] = [
    ["WebDriver", () => client.post(`/element/${front}/click`)],
    ["element/click", () => stage.post("/api/element/click", { element })],
    ["click", () => stage.post("/api/click", { element })],
  ];
  const state = async () => (await stage.get("/api/windows?title=Pages")).windows[0].state;
  for (const [i, [name, click]] of clicks.entries()) {
    await client.post("/window/minimize");
    assertEquals(await state(), "minimized");
    const [code, message] = await client.fail("GET", `/element/${front}/screenshot`);
    assertEquals([code, /is not on the screen$/.test(message)], ["element not interactable", true], message);
    await click();
    assertEquals(await state(), "normal", name);
    await program.printing((text) => text === "Front\n".repeat(i + 1));
  }
  const { width, height } = await stage.get("/api/screen");
  for (let i = 0; i < 6; i++) {
    await client.post("/window/rect", { x: 20, y: 30, width: 640, height: 520 });
    await client.post("/window/minimize");
    assertEquals(await client.post("/window/fullscreen"), { x: 0, y: 0, width, height });
  }
  await client.post("/window/minimize");
  await client.post("/window/rect", { x: 40, y: 60 });
  assertEquals([await state(), (await client.get("/window/rect")).x, id], ["normal", 40, id]);
  await client.quit();
});

/** A GTK 3 list that is longer than its window, which prints the rows that are selected or opened. */
const ROWS = `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
def chosen(selection):
    model, at = selection.get_selected()
    if at:
        print("selected", model[at][0], flush=True)
store = Gtk.ListStore(str)
for i in range(60):
    store.append([f"Row {i}"])
table = Gtk.TreeView(model=store)
table.append_column(Gtk.TreeViewColumn("Item", Gtk.CellRendererText(), text=0))
table.connect("row-activated", lambda *_: print("opened", flush=True))
table.get_selection().connect("changed", chosen)
window, around = Gtk.Window(title="Rows"), Gtk.ScrolledWindow()
around.add(table)
window.add(around)
window.set_default_size(300, 250)
window.show_all()
Gtk.main()
`;

test("a row that is scrolled away is scrolled to and selected by a click at every door, and never opened", async () => {
  const { stage, url } = await webDriverStage(), client = new WebDriverClient(url);
  await using _ = stage;
  await stage.post("/api/elements", { enabled: true });
  const program = stage.stack.use(new Client("/usr/bin/python3", ["-c", ROWS], stage.env));
  const list = () => stage.list("title=Rows");
  const cells = await until(list, (all) => all.filter(({ role }) => role === "cell").length === 60);
  assert(cells[1].role === "table" && cells[1].width > 200, JSON.stringify(cells[1]));
  await client.open({ "appium:app": String(program.pid) });
  const element = 'cell "Row 50" in "Rows"', row = await client.find("name", "Row 30");
  for (const more of [{}, { background: true }]) {
    const { status, error } = await stage.post("/api/element/scroll", { element, ...more });
    assertEquals(status, 409, error);
  }
  const held = await stage.post("/api/click", { element, hold: "ctrl" });
  assertEquals([held.status, /does not scroll to it$/.test(held.error)], [409, true], held.error);
  const before = await program.printing(() => true);
  assertEquals((await stage.post("/api/element/click", { element })).via, "click");
  const once = await program.printing((text) => text.endsWith("selected Row 50\n"));
  await client.post(`/element/${row}/click`);
  const both = await program.printing((text) => text.endsWith("selected Row 30\n"));
  const { via, x, y } = await stage.post("/api/element/scroll", { element: 'cell "Row 30" in "Rows"' });
  assertEquals([via, typeof x, typeof y], ["none", "number", "number"]);
  assertEquals([once, both].map((text) => text.slice(before.length)), [
    "selected Row 50\n",
    "selected Row 50\nselected Row 30\n",
  ]);
  await client.quit();
});

/** A GTK 4 window whose buttons "In …" are in a pane that shows three of them, above those "Below …". */
const PANE = `
import os
os.environ["GSK_RENDERER"] = "cairo"
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk
def fill(box, name):
    for i in range(12):
        button = Gtk.Button(label=f"{name} {i}")
        button.connect("clicked", lambda it: print(it.get_label(), flush=True))
        box.append(button)
def column():
    return Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
window, box, inner, pane = Gtk.Window(title="Controls"), column(), column(), Gtk.ScrolledWindow()
pane.set_size_request(200, 110)
fill(inner, "In")
inner.append(Gtk.Label(label="End"))
pane.set_child(inner)
box.append(pane)
fill(box, "Below")
window.set_child(box)
window.present()
GLib.MainLoop().run()
`;

Deno.test({
  name:
    "GTK 4: an element that is scrolled away is pressed by its program or refused, and no other is clicked",
  ignore: STAGE.ignore || PROGRAMS.ignore || need(...gtkControls(4).needs).ignore,
  async fn() {
    const { stage, url } = await webDriverStage(), client = new WebDriverClient(url);
    await using _ = stage;
    const program = await stage.controls({ name: "pane", args: ["-c", PANE], needs: [] });
    await client.open({ "appium:app": String(program.pid) });
    const named = (name: string) => ({ element: `button "${name}" in "Controls"` });
    for (const [name, via] of [["In 1", "click"], ["In 8", "action"], ["Below 5", "click"]]) {
      const { error, ...clicked } = await stage.post("/api/element/click", named(name));
      assertEquals(clicked.via, via, error);
      await program.printing((text) => text.endsWith(`${name}\n`));
    }
    await client.post(`/element/${await client.find("name", "In 9")}/click`);
    await program.printing((text) => text === "In 1\nIn 8\nBelow 5\nIn 9\n");
    const [code] = await client.fail("POST", `/element/${await client.find("name", "End")}/click`);
    assertEquals(code, "element not interactable");
    const scrolls = ["In 1", "In 8"].map((name) => stage.post("/api/element/scroll", named(name)));
    assertEquals((await Promise.all(scrolls)).map(({ status }) => status), [200, 409]);
    await checkPlaces(client);
    await client.quit();
  },
});

for (const controls of [gtkControls(4), qtControls(5), qtControls(6)]) {
  Deno.test({
    name: `${controls.name}: the page source has the place of each element, and none of what is closed`,
    ignore: STAGE.ignore || PROGRAMS.ignore || need(...controls.needs).ignore,
    async fn() {
      const { stage, url } = await webDriverStage(), client = new WebDriverClient(url);
      await using _ = stage;
      const program = await stage.controls(controls);
      if (controls.name === "GTK 4") await openAndClose(stage);
      await client.open({ "appium:app": String(program.pid) });
      await checkPlaces(client);
      await client.quit();
    },
  });
}

/** Checks that the page source has the place of each element that the element itself has. */
async function checkPlaces(client: WebDriverClient): Promise<void> {
  const source: string = await client.get("/source");
  const places = Array.from(source.matchAll(/<\w+ name="([^"]*)"[^>]*>/g), ([tag, name]) => {
    const [x, y, width, height] = /x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"/.exec(tag)?.slice(1)
      .map(Number) ?? [0, 0, 0, 0];
    return [name, { x, y, width, height }];
  });
  const all: Record<string, string>[] = await client.post("/elements", { using: "xpath", value: "//*" });
  assert(all.length > 30, `${all.length}`);
  const rects = await Promise.all(all.map((one) => client.get(`/element/${one[ELEMENT]}/rect`)));
  assertEquals(places, rects.map((rect, i) => [places[i]?.[0], rect]));
}

/** Opens and closes a popover of GTK 4, whose contents keep their places. */
async function openAndClose(stage: ElementsStage): Promise<void> {
  const inside = () => stage.list("title=Controls&role=button&name=Inside");
  await until(async () => {
    await stage.post("/api/element/click", { element: 'button "More" in "Controls"' });
    return await inside();
  }, ([button]) => button !== undefined);
  await stage.post("/api/key", { keys: "escape" });
  await until(inside, (buttons) => !buttons.length);
}

test("keys of concurrent sessions each go to their own program", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "zenity");
  await using _ = stage;
  await Promise.all(["a", "b"].map(async (name) => {
    const client = new WebDriverClient(url);
    await client.open({ "appium:app": `zenity --entry --title ${name} --text ${name}` });
    const field = await client.find("tag name", "text");
    for (let i = 0; i < 40; i++) {
      await client.post(`/element/${field}/clear`);
      await client.post(`/element/${field}/value`, { text: `${name}${i}` });
      assertEquals(await client.get(`/element/${field}/text`), `${name}${i}`);
    }
    await client.quit();
  }));
});

test("no element of a program that does not answer is called missing, and its commands time out", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "zenity");
  await using _ = stage;
  const client = new WebDriverClient(url), form = stage.start("zenity", ...FORM.split(" ").slice(1));
  await until(() => stage.list("title=Ask"), (elements) => elements.some(({ name }) => name === "OK"));
  await client.open({ "appium:app": String(form.pid) });
  const ok = await client.find("name", "OK");
  form.kill("SIGSTOP");
  const cases: [method: string, path: string, body?: unknown][] = [
    ["POST", "/element", { using: "name", value: "Cancel" }],
    ["POST", "/elements", { using: "xpath", value: "//button" }],
    ["GET", "/source"],
  ];
  for (const [method, path, body] of cases) {
    const [code, message] = await client.fail(method, path, body);
    assertEquals([code, message], ["timeout", "the program does not answer"], path);
  }
  for (const [method, part] of [["GET", "text"], ["POST", "click"], ["POST", "clear"]] as const) {
    const [code, message] = await client.fail(method, `/element/${ok}/${part}`);
    assertEquals([code, message], ["timeout", "the element's program does not answer"], part);
  }
  form.kill("SIGCONT");
  await until(() => client.fail("GET", `/element/${ok}/name`), ([code]) => code === undefined);
  await client.find("name", "Cancel");
  await client.quit();
});

test("only listed programs start, without deskhand's secrets, and with only data in their environment", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "zenity");
  await using _ = stage;
  const client = new WebDriverClient(url);
  const refused = async (capabilities: Record<string, unknown>) => {
    const { status, value: { error, message } } = await client.open(capabilities);
    assertEquals([status, error], [500, "session not created"]);
    return message as string;
  };
  assertStringIncludes(
    await refused({ "appium:app": "sh -c id" }),
    'start deskhand with --webdriver-open "sh"',
  );
  assertStringIncludes(
    await refused({ "appium:app": "/usr/bin/zenity --info" }),
    "may not start /usr/bin/zenity",
  );
  assertStringIncludes(
    await refused({ "appium:app": FORM, "appium:environ": { LD_PRELOAD: "x.so" } }),
    "LD_PRELOAD",
  );
  assertStringIncludes(await refused({ "appium:app": FORM, "appium:appWorkingDir": "/nowhere" }), "/nowhere");
  assertStringIncludes(await refused({ "appium:app": "zenity --banana" }), "ended with code 255");
  assertStringIncludes(await refused({ "appium:app": "4194304" }), "no process");
  const windowless = new Deno.Command("sleep", { args: ["60"] }).spawn(), { pid } = windowless;
  assertStringIncludes(await refused({ "appium:app": `${pid}` }), `process ${pid} showed no window`);
  windowless.kill();
  await windowless.status;
  assertStringIncludes(await refused({ platformName: "mac" }), "platformName must be linux");
  assertEquals(running("zenity", stage), []);
});

test("callers are subject to the control API's rules, and the token is accepted as a password", async () => {
  const token = "a-token-of-24-characters";
  await using program = new Program(["--webdriver", "0", "--desktop", "virtual"], {
    env: { DESKHAND_TOKEN: token },
  });
  const client = new WebDriverClient(await program.webdriverUrl());
  const status = async (headers: Record<string, string>) =>
    (await client.send("GET", "/status", undefined, headers)).status;
  const basic = (password: string) => ({ authorization: `Basic ${btoa(`anyone:${password}`)}` });
  assertEquals(await status({}), 401);
  assertEquals(await status(basic(token)), 200);
  assertEquals(await status({ authorization: `Bearer ${token}` }), 200);
  assertEquals(await status(basic("wrong")), 401);
  const answer = await fetch(`${client.url}/status`);
  assertEquals(answer.headers.get("www-authenticate"), null);
  assertEquals(answer.headers.get("access-control-allow-origin"), null);
  assertStringIncludes((await answer.json()).value.message, "http://deskhand:TOKEN@localhost");
});

test("a web page and another host name are refused; a script drives the virtual desk", async () => {
  await using program = new Program(["--webdriver", "0", "--desktop", "virtual"]);
  const client = new WebDriverClient(await program.webdriverUrl());
  const page = await client.send("POST", "/session", { capabilities: {} }, { origin: "https://example.org" });
  assertEquals([page.status, page.value.error], [401, "unknown error"]);
  const other = "GET /status HTTP/1.1\r\nHost: desk.example\r\nConnection: close\r\n\r\n";
  assertEquals(rawStatus(await sendRaw(client.url, other)), 403);
  const { status, value } = await client.open({});
  assertEquals([status, value.capabilities.platformName], [200, "linux"]);
  assertEquals(atob(await client.get("/screenshot")).slice(1, 4), "PNG");
  const field = await client.find("name", "Email");
  await client.post(`/element/${field}/value`, { text: "ada@example.org" });
  assertEquals(await client.get(`/element/${field}/text`), "ada@example.org");
  const [code] = await client.fail("POST", "/element", { using: "name", value: "x" });
  assertEquals(code, "no such element");
});

Deno.test("SIGTERM ends an implicit wait at once", async () => {
  await using program = new Program(["--webdriver", "0", "--desktop", "virtual"]);
  const client = new WebDriverClient(await program.webdriverUrl());
  await client.open({ timeouts: { implicit: 600_000 } });
  const waiting = client.fail("POST", "/element", { using: "name", value: "nowhere" });
  await client.get("/title"); // the wait has begun
  program.kill("SIGTERM");
  assertEquals((await waiting)[1], "deskhand is stopping");
  assertEquals((await program.ended()).code, 0);
});

Deno.test("SIGTERM ends a pause of actions at once, and releases their keys", async () => {
  await using program = new Program(["--webdriver", "0", "--http", "0", "--desktop", "virtual"]);
  const client = new WebDriverClient(await program.webdriverUrl()), url = await program.controlUrl();
  await client.open({});
  const key = {
    type: "key",
    id: "k",
    actions: [{ type: "keyDown", value: "a" }, { type: "pause", duration: 290_000 }],
  };
  const acting = client.fail("POST", "/actions", { actions: [key] });
  await until(async () => (await (await fetch(`${url}/api/history`)).json()).actions.length > 0);
  program.kill("SIGTERM");
  assertEquals((await acting)[1], "deskhand is stopping");
  assertEquals((await program.ended()).code, 0);
});

Deno.test("what scripts hold down ends with the session, and what actions do, if their client leaves", async () => {
  await using program = new Program(["--webdriver", "0", "--http", "0", "--desktop", "virtual"]);
  const client = new WebDriverClient(await program.webdriverUrl()), url = await program.controlUrl();
  /** Whether the last event of each key or button is a press. */
  const down = async () => {
    const { actions } = await (await fetch(`${url}/api/history`)).json(), last = new Map<string, boolean>();
    for (const { key, button, down } of actions) if (down !== undefined) last.set(key ?? button, down);
    return [...last].filter(([, isDown]) => isDown).map(([name]) => name);
  };
  const script = async (script: string, given: unknown) =>
    await client.send("POST", `/session/${client.session}/execute/sync`, { script, args: [given] });
  await client.open({});
  for (const key of ["shift", "a", "b"]) await script("deskhand: press", { key });
  await script("deskhand: release", { key: "a" });
  await script("windows: keys", { actions: [{ virtualKeyCode: 0x11, down: true }] });
  assertEquals(await down(), ["shift", "b", "ctrl"]);
  await client.send("DELETE", `/session/${client.session}/actions`);
  assertEquals(await down(), []);
  await script("deskhand: press", { button: "left" });
  assertEquals(await down(), ["left"]);
  await client.quit();
  assertEquals(await down(), []);

  await client.open({ "appium:newCommandTimeout": 0 });
  const wrong = await script("windows: keys", { actions: [{ virtualKeyCode: 0x11, down: true }, {}] });
  assertEquals([wrong.value.error, await down()], ["invalid argument", []]);
  const key = {
    type: "key",
    id: "k",
    actions: [{ type: "keyDown", value: "a" }, { type: "pause", duration: 290_000 }],
  };
  const leaving = new AbortController();
  const acting = fetch(`${client.url}/session/${client.session}/actions`, {
    method: "POST",
    body: JSON.stringify({ actions: [key] }),
    signal: leaving.signal,
  });
  await until(down, (all) => all.length === 1);
  leaving.abort();
  await acting.catch(() => {});
  await until(down, (all) => all.length === 0);
});

test("--read-only looks and starts nothing, and a trace records each command with its session", async () => {
  const { stage, url } = await webDriverStage("--read-only", "--webdriver-open", "zenity");
  await using _ = stage;
  const client = new WebDriverClient(url), form = stage.start("zenity", ...FORM.split(" ").slice(1));
  await until(() => stage.list("title=Ask"), (elements) => elements.some(({ name }) => name === "OK"));
  const { value: { error, message } } = await client.open({ "appium:app": FORM });
  assertEquals([error, /--read-only/.test(message)], ["unsupported operation", true]);
  await client.open({ "appium:app": String(form.pid) });
  const ok = await client.find("name", "OK");
  assertMatch(await client.get("/source"), /name="OK"/);
  for (
    const [path, body] of [[`/element/${ok}/click`], ["/actions", { actions: [] }], [
      "/window/maximize",
    ]] as const
  ) {
    assertEquals((await client.fail("POST", path, body))[0], "unsupported operation", path);
  }
  await client.quit();
  assertEquals(running("zenity", stage).length, 1);
});

test("a trace has each command with its client, and no typed text", async () => {
  const folder = await Deno.makeTempDir({ prefix: "deskhand-test-" });
  const { stage, url } = await webDriverStage("--trace", folder, "--webdriver-open", "zenity");
  try {
    await using _ = stage;
    const client = new WebDriverClient(url);
    await client.open({ "appium:app": "zenity --password --title Ask" });
    const field = await client.find("tag name", "password_text");
    await client.post(`/element/${field}/value`, { text: "hunter2" });
    await client.get(`/element/${field}/text`);
    await client.quit();
    await stage.post("/api/trace/stop", {});
    const [{ name }] = Array.from(Deno.readDirSync(folder)).filter(({ name }) => name.endsWith(".html"));
    const page = await Deno.readTextFile(`${folder}/${name}`);
    const entries = page.split("\n").filter((line) => line.startsWith("<!--a")).map((line) =>
      JSON.parse(line.slice(5, -3))
    );
    const own = entries.filter(({ by }) => by === "webdriver");
    const names = new Set(own.map(({ name }) => name));
    for (const name of ["newSession", "findElement", "type", "elementText", "endSession"]) {
      assert(names.has(name), name);
    }
    assert(own.slice(1).every(({ client: by }) => by.endsWith(client.session.slice(0, 8))));
    assert(!page.includes("hunter2"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("a session has ended when its program has, even one that has to be killed", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "sh");
  await using _ = stage;
  const client = new WebDriverClient(url), mark = crypto.randomUUID();
  // The end of a process with much memory takes longer than an answer.
  const large =
    `/usr/bin/python3 -c 'import time; x = b"x" * (500 << 20); print(1, flush=True); time.sleep(600)'`;
  const script = `trap "" TERM; ${large} ${mark} | { read ready; exec ${FORM}; }`;
  await client.open({ "appium:app": "sh", "appium:appArguments": ["-c", script] });
  const pid = (await mustRun("pgrep", ["-f", `^/usr/bin/python3 .*${mark}`])).trim();
  await client.quit();
  assertMatch(readProc(`${pid}/stat`), /^$|\) Z /);
});

test("SIGTERM ends the program of a session that is still being created", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "/usr/bin/python3");
  await using _ = stage;
  const mark = `windowless-${crypto.randomUUID()}`, args = ["-c", "import time; time.sleep(600)", mark];
  const opening = new WebDriverClient(url).open({
    "appium:app": "/usr/bin/python3",
    "appium:appArguments": args,
  });
  const isRunning = async () => (await new Deno.Command("pgrep", { args: ["-f", mark] }).output()).success;
  await until(isRunning);
  stage.program.kill("SIGTERM");
  const { value: { error, message } } = await opening;
  assertEquals([error, message], ["session not created", "deskhand is stopping"]);
  await stage.program.ended();
  assertEquals(await isRunning(), false);
});

test("a silent client's session ends with its program and keys, and at most 16 are open", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "zenity");
  await using _ = stage;
  const silent = new WebDriverClient(url);
  const keyboard = () =>
    mustRun("xinput", ["query-state", "Virtual core XTEST keyboard"], { env: stage.env });
  const { value: { capabilities } } = await silent.open({ "appium:app": FORM });
  assertEquals(capabilities["appium:newCommandTimeout"], 300);
  await silent.quit();
  await silent.open({ "appium:app": FORM, "appium:newCommandTimeout": 8 });
  const down = { type: "key", id: "k", actions: [{ type: "keyDown", value: "\ue008" }] };
  await silent.post("/actions", { actions: [down] });
  assertMatch(await keyboard(), /=down/);
  await until(() => running("zenity", stage), (all) => all.length === 0);
  assertNotMatch(await keyboard(), /=down/);
  assertEquals((await silent.fail("GET", "/title"))[0], "invalid session id");
  for (let i = 0; i < 16; i++) assertEquals((await silent.open({ "appium:app": "Root" })).status, 200);
  const { value: { message } } = await new WebDriverClient(url).open({});
  assertStringIncludes(message, "16 sessions are open already");
  assertEquals((await silent.send("GET", "/status")).value.ready, false);
  await silent.quit();
  await silent.open({ "appium:app": FORM });
  stage.program.kill("SIGTERM");
  await stage.program.ended();
  assertEquals(running("zenity", stage), []);
});

test("100 consecutive sessions leave no process, file descriptor or thread", async () => {
  const { stage, url } = await webDriverStage("--webdriver-open", "zenity");
  await using _ = stage;
  const client = new WebDriverClient(url), form = stage.start("zenity", ...FORM.split(" ").slice(1));
  await until(() => stage.list("title=Ask"), (elements) => elements.some(({ name }) => name === "OK"));
  const session = async (app: string) => {
    const { status, value } = await client.open({ "appium:app": app, timeouts: { implicit: 10_000 } });
    assertEquals(status, 200, JSON.stringify(value));
    await client.get(`/element/${await client.find("name", "OK")}/rect`);
    await client.find("xpath", "//button[@name='OK']");
    await client.quit();
  };
  const count = (kind: string) => Array.from(Deno.readDirSync(`/proc/${stage.program.pid}/${kind}`)).length;
  for (const app of [FORM, String(form.pid), String(form.pid)]) await session(app);
  const before = [count("fd"), count("task")];
  for (let i = 0; i < 5; i++) await session(FORM);
  for (let i = 0; i < 95; i++) await session(String(form.pid));
  await until(
    () => [count("fd"), count("task")],
    ([fd, task]) => fd <= before[0] + 2 && task <= before[1] + 2,
  );
  assertEquals(running("zenity", stage).length, 1);
});
