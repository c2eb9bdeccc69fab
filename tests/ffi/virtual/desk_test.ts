/** The virtual desktop over HTTP: its programs react like real ones, and all of deskhand works on it. */

import { assert, assertEquals, assertMatch, assertRejects, fail } from "@std/assert";
import type { InputAction } from "../../../control/desktop/desktop.ts";
import { encodePng } from "../../../control/image/png.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { TextField } from "../../../ffi/virtual/text_field.ts";
import { type ControlApi, controlApi } from "../../support/control.ts";
import { call as mcpCall, wordsOf } from "../../support/agent_tools.ts";
import { keptFrame } from "../../support/clipboard_tools.ts";
import type { StageElement } from "../../support/elements.ts";
import { until } from "../../support/shell.ts";
import { InputError } from "../../../core/errors.ts";

/** A virtual desktop, and calls to it that must succeed. */
function desk() {
  const api = controlApi(), { desktop } = api as ControlApi<VirtualDesktop>;
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await api.request(method, `/api/${path}`, body);
    const text = await answer.text();
    assertEquals(answer.status, 200, `${path}: ${text}`);
    return JSON.parse(text);
  };
  const post = (path: string, body: unknown = {}) => call("POST", path, body);
  const elements = async (query = ""): Promise<StageElement[]> =>
    (await call("GET", `elements?limit=1000${query}`)).elements;
  const one = async (role: string, name: string): Promise<StageElement> => {
    const found = (await elements()).find((element) => element.role === role && element.name === name);
    return found ?? fail(`there is no ${role} ${name}`);
  };
  const keys = async (...all: string[]) => {
    for (const keys of all) await post("key", { keys });
  };
  const text = async () => (await one("textbox", "Text")).value;
  const titles = async () =>
    (await call("GET", "windows")).windows.map(({ title }: { title: string }) => title);
  const click = (role: string, name: string) => post("element/click", { role, name });
  return { api, desktop, call, post, elements, one, keys, text, titles, click };
}

Deno.test("the editor edits: lines, caret, selection, words, clipboard, undo and search", async () => {
  const { post, call, keys, text, one, click } = desk();
  await keys("ctrl+a");
  await post("type", { text: "one two\nthree" });
  assertEquals(await text(), "one two\nthree");
  await keys("up", "home", "shift+end", "ctrl+c", "ctrl+end", "enter", "ctrl+v");
  assertEquals(await text(), "one two\nthree\none two");
  assertEquals((await call("GET", "clipboard")).text, "one two");
  await call("PUT", "clipboard", { text: "漢字 é" });
  await keys("ctrl+left", "ctrl+shift+left", "ctrl+x", "ctrl+v");
  assertEquals(await text(), "one two\nthree\none two");
  await keys("ctrl+z", "ctrl+z");
  assertEquals(await text(), "one two\nthree\none two");
  await call("PUT", "clipboard", { text: "漢字 é" });
  await keys("ctrl+end", "ctrl+v", "backspace", "left", "delete");
  assertEquals(await text(), "one two\nthree\none two漢字");
  await keys("ctrl+f");
  await post("type", { text: "THREE\n" });
  await click("button", "Done");
  await keys("ctrl+c");
  assertEquals((await call("GET", "clipboard")).text, "three");
  assertMatch((await one("status", "welcome.txt (not saved) · line 2, column 6")).name, /not saved/);
  await keys("ctrl+end");
  await post("type", { text: "\n😀é漢" });
  await one("status", "welcome.txt (not saved) · line 4, column 4");
});

Deno.test("the lines of an edited text are those of the same text in a new field", () => {
  const width = 100, edited = new TextField(true), written = new Set<number>();
  const pieces = ["a", " ", "word ", "\n", "longlonglonglonglonglonglong", "漢字", "i i i i i i i i i "];
  edited.width = width;
  let seed = 1;
  const random = (below: number) => (seed = seed * 16807 % 2147483647) % below;
  for (let i = 0; i < 3000; i++) {
    const { length } = edited.text, at = random(3) ? length : random(length + 1);
    edited.select(Math.max(0, at - (random(4) ? 0 : random(20))), at);
    edited.replace(length > 600 ? "" : pieces[random(pieces.length)]);
    if (length > 600 && !random(5)) edited.set("");
    const anew = new TextField(true, edited.text);
    anew.width = width;
    assertEquals(edited.lines, anew.lines, edited.text);
    written.add(edited.lines.length);
  }
  assert(written.size > 10);
});

Deno.test("saves, lists and reopens files; asks about unsaved text", async () => {
  const { post, keys, text, titles, click, one } = desk();
  await keys("ctrl+a");
  await post("type", { text: "kept" });
  await click("menuitem", "File");
  await click("menuitem", "Save as…");
  assertEquals((await titles())[0], "Save as");
  await post("element/set", { role: "textbox", name: "File name", text: "new.txt" });
  await click("button", "Save");
  assertEquals((await titles())[0], "Notes");
  await post("type", { text: " and more" });
  await keys("ctrl+o");
  assertEquals((await titles())[0], "Not saved");
  await click("button", "Discard");
  await click("option", "new.txt");
  await one("option", "shopping.txt");
  await click("button", "Open");
  assertEquals(await text(), "kept");
});

Deno.test("a window closes with its dialog, and with the dialog's own", async () => {
  const { keys, post, titles, desktop } = desk();
  await keys("ctrl+o");
  await post("type", { text: "nowhere.txt\n" });
  assertEquals((await titles()).slice(0, 3), ["Not found", "Open a file", "Notes"]);
  const notes = (await desktop.windows.list()).find(({ title }) => title === "Notes")!;
  await desktop.windows.change(notes, { to: "closed" });
  assertEquals(await titles(), ["Clock", "Form"]);
});

Deno.test("refuses a line feed within text for a single-line field; one after the text is Enter", async () => {
  const { api, post, one, elements, titles, click } = desk();
  await post("window/activate", { title: "Form" });
  const refusal = async (role: string, name: string, text: string) => {
    const refused = await api.request("POST", "/api/element/set", { role, name, text });
    assertEquals(refused.status, 409);
    return (await refused.json()).error;
  };
  const words = "is a single-line field: Enter and Tab would be key presses";
  for (const [role, name] of [["textbox", "Name"], ["password", "Password"], ["textbox", "Email"]]) {
    assertMatch(await refusal(role, name, "a\nb"), new RegExp(`${words}$`));
  }
  assertEquals((await one("textbox", "Name")).value, "");
  // The program turns the tab into a space.
  assertMatch(await refusal("textbox", "Name", "a\tb"), new RegExp(`${words}; it has the text "a b" now$`));
  assertEquals([(await titles())[0], (await elements()).some(({ name }) => /missing/.test(name))], [
    "Form",
    false,
  ]);
  await post("element/set", { role: "textbox", name: "Name", text: "Ada\n" });
  assertEquals((await titles())[0], "Send the form?");
  await click("button", "Cancel");
  await post("window/activate", { title: "Notes" });
  const lines = await post("element/set", { role: "textbox", name: "Text", text: "a\nb" });
  assertEquals([lines.value, lines.states.includes("multiline")], ["a\nb", true]);
});

Deno.test("the form accepts every kind of value, and its dialog must be answered", async () => {
  const { api, post, one, click, titles, elements } = desk();
  await post("window/activate", { title: "Form" });
  await click("button", "Send");
  await one("label", "Name is missing");
  const values: [role: string, name: string, text: string][] = [
    ["textbox", "Name", "Ada"],
    ["textbox", "Email", "ada@example.org"],
    ["password", "Password", "secret"],
    ["combobox", "Country", "Japan"],
    ["slider", "Seats", "12"],
    ["textbox", "Start date", "2026-03-01"],
  ];
  for (const [role, name, text] of values) {
    await post("element/set", { role, name, text });
    assertEquals((await one(role, name)).value, role === "password" ? undefined : text, name);
  }
  for (const [role, name] of [["radio", "Team"], ["checkbox", "Send me news"]]) {
    await click(role, name);
    assert((await one(role, name)).states.includes("checked"), name);
  }
  await click("option", "Remote work"); // scrolled into view
  assert((await one("option", "Remote work")).states.includes("selected"));
  await click("button", "Send");
  assertEquals((await titles())[0], "Send the form?");
  const reset = { title: "Form", role: "button", name: "Reset" };
  const refused = await api.request("POST", "/api/element/click", reset);
  assertEquals(refused.status, 409);
  assertMatch(
    (await refused.json()).error,
    /^button "Reset" \(e\d+\) is disabled: the dialog "Send the form\?" is in the way$/,
  );
  assertEquals((await elements("&title=Send")).map(({ role }) => role), [
    "dialog",
    "label",
    "button",
    "button",
  ]);
  await post("key", { keys: "enter" });
  await one("label", "Sent");
});

Deno.test("a list of 200 rows scrolls, is searchable, and has a context menu", async () => {
  const { desktop, post, one, click, titles, elements } = desk();
  desktop.desk.start("orders");
  const row = "Order 1150, Grace Hopper, pencils, €12.90";
  assert((await one("option", row)).states.includes("hidden"));
  await click("option", row);
  const { states, x, y } = await one("option", row);
  assertEquals(states, ["selected"]);
  await post("click", { x: x + 20, y: y + 5, button: "right" });
  await click("menuitem", "Delete");
  assertEquals((await titles())[0], "Delete");
  await click("button", "Delete");
  assertEquals((await elements()).filter(({ role }) => role === "option").length, 199);
  await post("element/set", { role: "textbox", name: "Search", text: "hopper" });
  const found = (await elements()).filter(({ role }) => role === "option");
  assert(found.length > 20 && found.every(({ name }) => name.includes("Grace Hopper")));
});

Deno.test("drags cards from column to column", async () => {
  const { desktop, post, one } = desk();
  desktop.desk.start("board");
  const middle = ({ x, y, width, height }: StageElement) => ({ x: x + (width >> 1), y: y + (height >> 1) });
  const card = await one("listitem", "Write the tour"), done = await one("list", "Done");
  assertEquals(card.value, "To do");
  const { seen } = await post("drag", { from: middle(card), to: middle(done), observe: true });
  assertEquals(seen.verdict, "hit");
  assertEquals((await one("listitem", "Write the tour")).value, "Done");
});

Deno.test("moves, resizes, minimizes, maximizes and closes windows with the pointer", async () => {
  const { post, call } = desk();
  const notes = async () => (await call("GET", "windows?title=Notes")).windows[0];
  const { x, y, width, height } = await notes();
  await post("drag", { from: { x: x + 200, y: y + 10 }, to: { x: x + 250, y: y + 40 } });
  assertEquals([(await notes()).x, (await notes()).y], [x + 50, y + 30]);
  const corner = { x: x + 50 + width - 2, y: y + 30 + height - 2 };
  await post("drag", { from: corner, to: { x: corner.x - 100, y: corner.y - 60 } });
  assertEquals([(await notes()).width, (await notes()).height], [width - 100, height - 60]);
  await post("click", { x: x + 200, y: y + 40, button: "left", count: 2 });
  assertEquals((await notes()).state, "maximized");
  await post("click", { x: 1280 - 90, y: 16, button: "left" });
  assertEquals((await notes()).state, "minimized");
  await post("click", { x: 50, y: 700, button: "left" }); // its taskbar button
  assertEquals([(await notes()).state, (await notes()).active], ["normal", true]);
  await post("key", { keys: "alt+f4" });
  assertEquals(await notes(), undefined);
});

Deno.test("every verdict is a hit or a miss, never unsure", async () => {
  const { post, call } = desk();
  const verdict = async (path: string, body: object) =>
    (await post(path, { ...body, observe: true })).seen.verdict;
  const cases: [path: string, body: object, verdict: string][] = [
    ["click", { x: 60, y: 300, button: "left" }, "miss"], // the background
    ["move", { x: 600, y: 300 }, "miss"],
    ["click", { x: 600, y: 200, button: "left" }, "hit"], // the caret moves
    ["click", { x: 600, y: 200, button: "left" }, "miss"], // the caret is already there
    ["key", { keys: "ctrl+shift+t" }, "miss"],
    ["type", { text: "a" }, "hit"],
    ["scroll", { direction: "down", amount: 3, x: 60, y: 300 }, "miss"],
    ["window/activate", { title: "Form" }, "hit"],
    ["recording/start", {}, "miss"],
  ];
  for (const [path, body, expected] of cases) {
    assertEquals(await verdict(path, body), expected, `${path} ${JSON.stringify(body)}`);
  }
  assertEquals((await call("PUT", "clipboard?observe=true", { text: "new" })).seen.verdict, "hit");
});

Deno.test("a recording finds its elements after the window has moved", async () => {
  const { post, call, one } = desk();
  await post("window/activate", { title: "Form" });
  await post("recording/start");
  const { x, y } = await one("checkbox", "Send me news");
  await post("click", { x: x + 9, y: y + 15, button: "left" });
  await post("recording/stop");
  assert((await one("checkbox", "Send me news")).states.includes("checked"));
  const { events } = await call("GET", "recording");
  const press = events.find((event: InputAction) => event.type === "button" && event.down);
  assertEquals([press.element.role, press.element.name], ["checkbox", "Send me news"]);
  await post("window/place", { title: "Form", x: 500, y: 60 });
  const isChecked = async () => (await one("checkbox", "Send me news")).states.includes("checked");
  await post("recording/play");
  await until(async () => !await isChecked());
  // At the recorded position there is now only the background.
  await until(async () => (await call("GET", "recording/state")).state === "idle");
  await post("recording/play", { elements: false });
  const played = await until(() => call("GET", "recording/state"), ({ state }) => state === "idle");
  assertEquals([await isChecked(), "elements" in played.result], [false, false]);
});

Deno.test("finds words on the screen, and reads at least 97 of 100 letters", async () => {
  const { api, post } = desk();
  const { matches: [send] } = await post("find", { text: "Reset" });
  assertEquals(send.source, "screen"); // in an inactive window
  const read = await (await api.request("GET", "/api/text?format=text&x=336&y=160&width=500&height=150"))
    .text();
  const written = ["Welcome! This desk lives in memory: nothing you do here", "touches your machine.", ""];
  written.push("- Type here, or let a script do it.", "- Fill in the form, and send it.");
  written.push("- Open Orders and Board from the bar below.");
  const plain = (text: string) => text.replaceAll(/\s+/g, "");
  const wanted = plain(written.join("\n")), got = plain(read);
  const { levenshteinDistance } = await import("@std/text/levenshtein-distance");
  const share = 1 - levenshteinDistance(wanted, got) / wanted.length;
  assert(share >= 0.97, `${share}: ${read}`);
});

Deno.test("two desktops with the same clock draw the same picture", async () => {
  const clock = Deno.env.get("DESKHAND_CLOCK");
  Deno.env.set("DESKHAND_CLOCK", "2026-01-15T09:41");
  try {
    const picture = async (text: string) => {
      const desktop = new VirtualDesktop({ width: 800, height: 600 });
      await desktop.keyboard.type(text);
      return (await encodePng(await keptFrame(desktop.screen, desktop.screen.layout(), true))).toBase64();
    };
    const [one, again, other] = await Promise.all([picture("漢"), picture("漢"), picture("a")]);
    assertEquals(one, again);
    assert(one !== other);
  } finally {
    if (clock) Deno.env.set("DESKHAND_CLOCK", clock);
    else Deno.env.delete("DESKHAND_CLOCK");
  }
});

Deno.test("agents open the virtual desktop's programs without a user's list", async () => {
  const { api, titles } = desk();
  assertMatch(
    wordsOf(await mcpCall(api, "open", { program: "board" })),
    /^opened "Board"\nactive: "Board" \(new\)$/,
  );
  assertEquals((await titles())[0], "Board");
});

Deno.test("chooses an option of a closed combo box by name, and lists the options if there is none", async () => {
  const { api, post, one, elements } = desk();
  const country = { role: "combobox", name: "Country", window: "Form" };
  const value = async () => (await elements("&window=Form")).find(({ role }) => role === "combobox")!.value;
  await post("element/set", { ...country, to: "jap" });
  assertEquals(await value(), "Japan");
  const refused = await api.request("POST", "/api/element/set", { ...country, to: "Norway" });
  assertEquals(refused.status, 409);
  assertMatch((await refused.json()).error, /has no option "Norway"; it has "Austria", .*"Ukraine"$/);
  assertEquals(await value(), "Japan");
  await post("element/click", { element: 'option "Canada"', window: { class: "form" } });
  assertEquals(await value(), "Canada");
  assertEquals((await elements("&window=Form")).filter(({ name }) => name === "Austria"), []);
  await one("textbox", "Text"); // the active window is still the editor
});

// Text, as on a real desktop.

for (const code of ["0000", "0007", "D800", "DFFF", "FFFF", "10FFFE"]) {
  Deno.test(`refuses U+${code} before typing anything, like a real desktop`, async () => {
    const desktop = new VirtualDesktop();
    const text = "ok" + String.fromCodePoint(parseInt(code, 16));
    await assertRejects(() => desktop.keyboard.type(text), InputError, `U+${code}, which cannot be typed`);
    assertEquals(desktop.log, []);
  });
}

Deno.test("types control characters that are keys as keys", async () => {
  const desktop = new VirtualDesktop();
  const keys: string[] = [];
  await desktop.observer.watch({
    actions: (batch) =>
      batch.forEach(({ action }) => action.type === "key" && action.down && keys.push(action.key)),
    problem() {},
  });
  await desktop.keyboard.type("é \t\r\n\n\r\b\x1b漢");
  assertEquals(keys, ["é", "space", "tab", "enter", "enter", "enter", "backspace", "escape", "漢"]);
  assertEquals(desktop.log, [{ type: "text", text: "é \t\n\n\r\b\x1b漢" }]);
});
