/** Elements of a real program on X11, with python3-pyatspi and the program's output as witnesses. */

import { delay } from "@std/async/delay";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { pressMoving } from "../../support/churn.ts";
import { ElementsStage, STAGE } from "../../support/elements.ts";
import { need } from "../../support/need.ts";
import { mustRun, until } from "../../support/shell.ts";

const WITNESS = fromFileUrl(new URL("./witness.py", import.meta.url));
const PROGRAMS = need("zenity", "/usr/lib/python3/dist-packages/pyatspi/__init__.py");

/** Roles of buttons and fields in the witness's words. */
const ROLES: Record<string, string> = {
  "push button": "button",
  "password text": "password",
  text: "textbox",
};

/** A form on a stage. */
async function session() {
  const stage = await ElementsStage.start();
  const fields = ["--add-entry", "Name", "--add-password", "Secret", "--add-entry", "City"];
  const form = stage.start("zenity", "--forms", "--title", "Ask", "--text", "Form", ...fields);
  await until(() => stage.list("title=Ask"), (elements) => elements.some(({ name }) => name === "OK"));
  return {
    stage,
    form,
    list: () => stage.list("title=Ask"),
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, ignore: STAGE.ignore || PROGRAMS.ignore, fn });

test("buttons and fields have the roles, names and centers that another reader finds", async () => {
  await using at = await session();
  const { stdout } = await new Deno.Command("/usr/bin/python3", { args: [WITNESS, "Ask"], env: at.stage.env })
    .output();
  const seen = new TextDecoder().decode(stdout).trim().split("\n").map((line) => line.split("\t"))
    .filter(([role]) => role in ROLES)
    .map(([role, name, middle]) => `${ROLES[role]} ${name} ${middle}`);
  const own = (await at.list()).filter(({ role }) => Object.values(ROLES).includes(role))
    .map(({ role, name, x, y, width, height }) => `${role} ${name} ${x + (width >> 1)},${y + (height >> 1)}`);
  assertEquals(seen.length, 5);
  assertEquals(own.sort(), seen.sort());
});

test("fills in and submits a form by its elements, and the program prints what arrived", async () => {
  await using at = await session();
  const set = async (body: Record<string, unknown>) => {
    const { status, via, error } = await at.stage.post("/api/element/set", body);
    assertEquals(status, 200, error);
    return via;
  };
  const fields = (await at.list()).filter(({ role }) => role === "textbox").sort((a, b) => a.y - b.y);
  assertEquals(await set({ element: fields[0].ref, text: "Ada 漢字 😀" }), "action");
  assertEquals(await set({ role: "password", text: "geheim", title: "Ask" }), "keys");
  // The field has no name: the label next to it is used.
  assertEquals(await set({ element: 'textbox "City" in "Ask"', text: "Köln" }), "action");
  const password = (await at.list()).find(({ role }) => role === "password")!;
  assertEquals(password.value, undefined);
  const { via } = await at.stage.post("/api/element/click", { role: "button", name: "OK" });
  assertEquals(via, "click");
  const { code, stdout } = await at.form.output();
  assertEquals([code, new TextDecoder().decode(stdout)], [0, "Ada 漢字 😀|geheim|Köln\n"]);
  const gone = await at.stage.post("/api/element/click", { element: password.ref });
  assertEquals([gone.status, gone.error], [404, `${password.ref} is gone; it was password "" in "Ask"`]);
});

test("text belongs to its element, is on the screen once, and is clickable", async () => {
  await using at = await session();
  const find = async (body: Record<string, unknown>) => await at.stage.post("/api/find", body);
  const { matches: [city] } = await find({ text: "city", limit: 5 });
  assertEquals([city.text, city.source, city.role], ["City", "element", "label"]);
  const read = await (await fetch(`${at.stage.url}/api/text?format=text`)).text();
  const lines = read.trim().split("\n");
  for (const text of ["Name", "City", "Cancel", "OK"]) {
    assertEquals(lines.filter((line) => line === text), [text]);
  }
  const { matches: [title], ...rest } = await find({ text: "Ask", source: "screen" });
  assertEquals([rest.status, title.source], [200, "screen"]); // the window manager draws it
  assertEquals((await find({ text: "Cancel", click: "left" })).matches[0].source, "element");
  assertEquals((await at.form.status).code, 1);
});

test("brings a moved and covered window to the front and clicks it at its position", async () => {
  await using at = await session();
  const cancel = (await at.list()).find(({ name }) => name === "Cancel")!;
  at.stage.start("zenity", "--info", "--title", "Above", "--text", "Above");
  await until(() => at.stage.list("title=Above"), (elements) => elements.length > 1);
  const region = { x: 300, y: 200, width: 500, height: 350 };
  await at.stage.post("/api/window/place", { title: "Ask", ...region });
  await at.stage.post("/api/window/place", { title: "Above", ...region });
  await at.stage.post("/api/window/activate", { title: "Above" });
  const { status, via, error } = await at.stage.post("/api/element/click", { element: cancel.ref });
  assertEquals([status, via], [200, "click"], error);
  assertEquals((await at.form.status).code, 1);
});

/** More than the time for which an idle connection to a program stays open, in milliseconds. */
const OWN_SOCKET_MS = 2500;

test("reports a stopped program as silent, and reads others in time", async () => {
  await using at = await session();
  const other = at.stage.start("zenity", "--info", "--title", "Stopped", "--text", "Stopped");
  await until(() => at.stage.list("title=Stopped"), (elements) => elements.length > 1);
  const silentMs = async () => {
    other.kill("SIGSTOP");
    const answer = await at.stage.get("/api/elements?title=Stopped"), saidAt = performance.now();
    assertStringIncludes(answer.silent, "does not answer");
    assert((await at.list()).some(({ name }) => name === "OK"));
    await delay(OWN_SOCKET_MS);
    other.kill("SIGCONT");
    await until(() => at.stage.list("title=Stopped"), (elements) => elements.length > 1);
    return performance.now() - saidAt;
  };
  // It is read as soon as it answers, not when it would be asked again; a busy machine delays a round.
  await until(silentMs, (ms) => ms < 10_000, (ms) => `it was not read for ${ms} ms`);
});

/** A GTK 3 program with two windows. */
const TWO_WINDOWS = `
import gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
for title in ("First", "Second"):
    window = Gtk.Window(title=title)
    window.add(Gtk.Button(label="In " + title))
    window.show_all()
Gtk.main()`;

test("reports a silent program for its windows with new titles, too", async () => {
  await using at = await session();
  const other = at.stage.start("/usr/bin/python3", "-c", TWO_WINDOWS);
  for (const title of ["First", "Second"]) {
    await until(() => at.stage.list(`title=${title}`), (elements) => elements.length > 0);
  }
  other.kill("SIGSTOP");
  await at.stage.post("/api/window/activate", { title: "Second" }); // being active would identify First
  const rename = ["search", "--name", "^First$", "set_window", "--name", "Third"];
  await mustRun("xdotool", rename, { env: at.stage.env });
  const answer = await at.stage.get("/api/elements?title=Third");
  assertStringIncludes(answer.silent, "its program does not answer");
  other.kill("SIGCONT");
});

/** A GTK 3 program with a window on the bus and another that is not, like a late dialog. */
const LATE_WINDOW = `
import gi
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk
window = Gtk.Window(title="Whole")
window.add(Gtk.Button(label="In the whole one"))
window.show_all()
attributes = Gdk.WindowAttr()
attributes.window_type, attributes.wclass = Gdk.WindowType.TOPLEVEL, Gdk.WindowWindowClass.INPUT_OUTPUT
attributes.width, attributes.height, attributes.title = 300, 200, "Late"
bare = Gdk.Window.new(None, attributes, Gdk.WindowAttributesType.TITLE)
bare.show()
Gtk.main()`;

test("does not list another window's elements for a late window", async () => {
  await using at = await session();
  at.stage.start("/usr/bin/python3", "-c", LATE_WINDOW);
  await until(() => at.stage.list("title=Whole"), (elements) => elements.length > 0);
  const late = await until(
    async () => await at.stage.get("/api/elements?title=Late"),
    ({ window }) => window !== undefined,
  );
  assertEquals(late.elements, []);
  assertStringIncludes(late.silent, "none of its program's windows has the title Late");
});

test("says that a program without elements is not on the accessibility bus", async () => {
  await using at = await session();
  at.stage.start("xterm", "-title", "plain");
  const answer = await until(
    async () => await at.stage.get("/api/elements?title=plain"),
    ({ window }) => window !== undefined,
  );
  assertStringIncludes(answer.silent, "its program is not on the accessibility bus");
  assertEquals([answer.elements, answer.places], [[], "none"]);
});

// Presses of elements whose positions change meanwhile: none hits a neighbor.

const CHURN_PROGRAMS = need("/usr/lib/x86_64-linux-gnu/girepository-1.0/Gtk-3.0.typelib", "/usr/bin/python3");

for (const [intervalMs, presses] of [[20, 150], [90, 60]]) {
  Deno.test({
    name: `${presses} presses by ref in a list that is reordered every ${intervalMs} ms hit no other element`,
    ignore: STAGE.ignore || CHURN_PROGRAMS.ignore,
    async fn() {
      const { wrong, via, refused, missed } = await pressMoving(presses, intervalMs);
      assertEquals(wrong, []);
      const done = Object.values(via).reduce((sum, count) => sum + count, 0) - missed;
      assert(done > presses / 2, JSON.stringify({ via, refused, missed }));
    },
  });
}
