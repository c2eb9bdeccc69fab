/**
 * Elements of real programs: Windows' own controls in a test's dialog, and Wine's programs. Wine's UI
 * Automation has no trees, so MSAA lists the elements; the programs' own output is the witness.
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Automation } from "../../ffi/windows/elements/automation.ts";
import {
  AUTOMATION_CLASSES,
  CACHED,
  createObject,
  IID,
  openElementLibraries,
  SCOPE,
  SLOTS,
} from "../../ffi/windows/elements/com.ts";
import { Program, run } from "../support/program.ts";
import { until } from "../support/shell.ts";
import { type Answer, type Calls, callsOf, Dialog, Notepad } from "./dialog_program.ts";
import { openReference, WitnessWindow } from "./witness.ts";

const LISTED = `# "Form", 18 elements, places: screen
e3 textbox "Name:" = "Ada"
e5 password "Secret:"
e7 textbox "Notes:" = "one\\ntwo" multiline
e9 textbox "Fixed:" = "as it is" readonly
e11 combobox "Colour:" = "green"
  e12 textbox = "green"
e13 checkbox "Gift"
button: e14 "Save" e15 "Delete" disabled e16 "Add" e17 "Add" e18 "Close"
`;

/** Texts that no response may contain: the dialog's password, and the one that the test sets. */
const SECRETS = ["hunter2", "s3cret"];

const STEPS: Record<string, (calls: Calls, dialog: Dialog) => Promise<void>> = {
  async "lists a dialog's controls at the positions that its program reports"({ text, list }, dialog) {
    assertEquals(await text("Form"), LISTED);
    const { elements } = await list("Form"), { middles } = dialog;
    const middle = ({ x, y, width, height }: Answer["elements"][number]) => [
      x + (width >> 1),
      y + (height >> 1),
    ];
    for (const [name, id] of [["Save", 21], ["Close", 25], ["Gift", 20], ["Colour:", 18]] as const) {
      assertEquals(middle(elements.find((element) => element.name === name)!), middles.get(id), name);
    }
    const hidden = (await list("Form", "&visible=false")).elements.map(({ name }) => name);
    assertEquals([hidden.includes("Hidden"), elements.some(({ name }) => name === "Hidden")], [true, false]);
  },

  async "sets text through the program and reads it back, and clicks buttons"({ set, click }, dialog) {
    const name = await set({ title: "Form", role: "textbox", name: "Name", text: "Zoë 漢字 😀" });
    assertEquals([name.status, name.via, name.value], [200, "action", "Zoë 漢字 😀"], name.error);
    const notes = await set({ title: "Form", role: "textbox", name: "Notes", text: "a\nb\n" });
    assertEquals([notes.status, notes.via, notes.value], [200, "action", "a\nb\n"], notes.error);
    assertEquals((await click({ title: "Form", role: "checkbox", name: "gift" })).via, "click");
    const gift = await dialog.pressed();
    assertEquals([gift.pressed, gift.gift], [20, true]);
    const saved = await click({ title: "Form", name: "Save" });
    assertEquals([saved.status, saved.via, saved.ref], [200, "click", "e14"], saved.error);
    const { name: text, notes: written } = await dialog.pressed();
    assertEquals([text, written], ["Zoë 漢字 😀", "a\r\nb\r\n"]);
  },

  async "reports the current state of a check box"({ list, click }, dialog) {
    const stateOf = async () =>
      (await list("Form", "&role=checkbox")).elements.map(({ states }) => states.includes("checked"));
    assertEquals(await stateOf(), [true]);
    await click({ element: "e13" });
    assertEquals((await dialog.pressed()).gift, false);
    assertEquals(await stateOf(), [false]);
  },

  async "types a password, which no response ever contains"({ set, click, list, answers }, dialog) {
    const secret = await set({ title: "Form", role: "password", text: SECRETS[1] });
    assertEquals([secret.status, secret.via, secret.value], [200, "keys", undefined], secret.error);
    const lines = await set({ title: "Form", role: "password", text: "no\nsend" });
    assertEquals([lines.status, lines.error?.replace(/e\d+/, "e1")], [
      409,
      'password "Secret:" (e1) is a single-line field: Enter and Tab would be key presses',
    ]);
    await click({ element: "e14" });
    assertEquals((await dialog.pressed()).secret, SECRETS[1]);
    await list("Form", "&visible=false");
    for (const hidden of SECRETS) assertEquals(answers.filter((answer) => answer.includes(hidden)), []);
  },

  async "focuses an element, and typed text arrives"({ focus, post, list }) {
    const { status, error } = await focus({ title: "Form", role: "textbox", name: "Notes" });
    assertEquals([status, error], [200, undefined]);
    await post("key", { keys: "ctrl+end" });
    await post("type", { text: "typed" });
    const value = async () => (await list("Form", "&role=textbox&name=Notes")).elements[0].value;
    await until(value, (now) => now === "a\nb\ntyped");
    const refused = await focus({ title: "Form", name: "Delete" });
    assertEquals([refused.status, refused.error], [
      409,
      'button "Delete" (e15) did not accept the keyboard focus',
    ]);
  },

  async "refuses what cannot be clicked, and presses nothing"({ click }, dialog) {
    const refused: [body: Record<string, unknown>, status: number, error: RegExp][] = [
      [{ name: "Delete" }, 409, /^button "Delete" \(e15\) is disabled$/],
      [{ name: "Add" }, 409, /^2 elements match element "Add": button "Add" \(e16\), button "Add" \(e17\)/],
      [{ name: "Hidden" }, 409, /^button "Hidden" \(e19\) is not shown/],
      [{ name: "Safe" }, 404, /near: button "Save" \(e14\)/],
    ];
    for (const [body, status, message] of refused) {
      const answer = await click({ title: "Form", ...body });
      assertEquals(answer.status, status, answer.error);
      assertMatch(answer.error!, message);
    }
    assertEquals(dialog.others, 0);
    assertEquals((await click({ title: "Form", name: "Add", nth: 2 })).ref, "e17");
    assertEquals((await dialog.pressed()).pressed, 24);
  },

  async "a click raises a covered window; under a topmost one, the program presses the button"(
    { click, post },
    dialog,
  ) {
    await using notepad = await Notepad.open("over");
    const region = { x: 90, y: 70, width: 500, height: 400 };
    await until(
      () => post("window/place", { title: notepad.title, ...region }),
      ({ status }) => status === 200,
    );
    await post("window/activate", { title: notepad.title });
    const uncovered = await click({ element: "e14" });
    assertEquals([uncovered.via, uncovered.error], ["click", undefined]);
    assertEquals((await dialog.pressed()).pressed, 21);

    await using _topmost = await WitnessWindow.open(90, 70, 500, 400);
    const covered = await click({ element: "e14" });
    assertEquals([covered.via, covered.error], ["action", undefined]);
    assertEquals((await dialog.pressed()).pressed, 21);
    const other = await click({ element: "e14", button: "right" });
    assertEquals([other.status, other.error], [
      409,
      'button "Save" (e14) is covered by "witness", and a program presses it only once',
    ]);
    const field = await click({ element: "e3" });
    assertEquals([field.status, field.error], [
      409,
      'textbox "Name:" (e3) is covered by "witness", and its program does not press it',
    ]);
  },

  async "a ref means only its element: when the window is gone, the error says what it was"(
    { click, post },
    dialog,
  ) {
    const waiting = post("wait", { element: { name: "Close", gone: true, window: { title: "Form" } } });
    assertEquals((await click({ element: "e18" })).via, "click");
    await dialog.ended();
    assertEquals((await waiting).status, 200);
    await using again = await Dialog.open("Form");
    await until(
      () => post("wait", { element: { name: "Close", window: { title: "Form" } } }),
      ({ status }) => status === 200,
    );
    const { status, error } = await click({ element: "e18" });
    assertEquals([status, error], [404, 'e18 is gone; it was button "Close" in "Form"']);
    assertEquals(again.others, 0);
  },
};

Deno.test("elements of a dialog", async (test) => {
  await using program = new Program(["--desktop", "windows", "--http", "0"]);
  const calls = callsOf(await program.controlUrl());
  await using dialog = await Dialog.open("Form");
  await until(async () => (await calls.list("Form")).elements?.length, (length) => length === 18);
  for (const [name, step] of Object.entries(STEPS)) await test.step(name, () => step(calls, dialog));
});

Deno.test("sets notepad's text, and a stopped program does not affect the others", async () => {
  await using program = new Program(["--desktop", "windows", "--http", "0"]);
  using reference = openReference();
  const { list, set, click } = callsOf(await program.controlUrl());
  await using stopped = await Notepad.open("stopped");
  await using other = await Notepad.open("other");
  const isRead = async (title: string) =>
    (await list(title)).elements?.some(({ role }) => role === "textbox");
  for (const { title } of [stopped, other]) await until(() => isRead(title));
  const { elements: [{ ref }] } = await list(stopped.title, "&role=textbox");

  stopped.suspend();
  const start = performance.now(), silent = await list(stopped.title);
  assertEquals([silent.elements, silent.silent], [[], "its program does not answer"]);
  await until(() => isRead(other.title)); // on a busy machine it may answer late
  assert(performance.now() - start < 60_000, "reading waits for the program");
  const refused = await click({ element: ref });
  assertEquals([refused.status, refused.error], [409, "the element's program does not answer"]);

  const text = "first line\nsecond line, äöü 漢字";
  const done = await set({ title: other.title, role: "textbox", text });
  assertEquals([done.status, done.via, done.value], [200, "action", text], done.error);
  const handle = await windowOf(program, other.title);
  assertEquals(reference.editedLength(handle), text.length + 1);
  stopped.resume();
  await until(() => isRead(stopped.title));
});

async function windowOf(program: Program, title: string): Promise<bigint> {
  const { windows } = await (await fetch(`${await program.controlUrl()}/api/windows`)).json();
  return BigInt(windows.find((window: { title: string }) => window.title === title).id);
}

Deno.test("gives up a program that stops while it is read, and reads others after it", async () => {
  await using program = new Program(["--desktop", "windows", "--http", "0"]);
  const url = await program.controlUrl(), { list } = callsOf(url);
  await using _form = await Dialog.open("Form");
  await using _slow = await Dialog.open("Slow", { left: 600, sleep: 600_000 });
  const reading = list("Slow"), waiting = list("Form");
  assertEquals((await fetch(`${url}/api/position`)).status, 200);
  assertEquals((await reading).silent, "its program does not answer");
  assertEquals((await waiting).status, 200);
  await until(async () => (await list("Form")).elements.length, (length) => length === 18);
  assertEquals((await list("Slow")).silent, "its program does not answer");
  await program.write("quit");
  assertEquals((await program.ended()).code, 0);
});

Deno.test("lists an open drop-down list with its window", async () => {
  await using program = new Program(["--desktop", "windows", "--http", "0"]);
  const { list, post } = callsOf(await program.controlUrl());
  await using dialog = await Dialog.open("Form");
  await until(async () => (await list("Form")).elements?.length, (length) => length === 18);
  // The button that opens it is at the right end of the combo box, and is not an element.
  const [x, y] = dialog.middles.get(19)!;
  await post("click", { x: x + 90, y, button: "left" });
  const roles = async () => (await list("Form")).elements.map(({ role }) => role);
  await until(roles, (roles) => roles.at(-1) === "listbox");
});

Deno.test("closes a Wine program by its button", async () => {
  await using program = new Program(["--desktop", "windows", "--http", "0"]);
  const { post, click } = callsOf(await program.controlUrl());
  const about = new Deno.Command("winver.exe").spawn();
  const found = await until(
    () => post("wait", { element: { role: "button", name: "OK", window: { title: "About" } } }),
    ({ status }) => status === 200,
  );
  assertEquals(found.status, 200);
  assertEquals((await click({ title: "About", role: "button", name: "OK" })).via, "click");
  await about.status;
});

Deno.test("the prompt lists, sets and clicks elements, and doctor says how they are read", async () => {
  await using dialog = await Dialog.open("Prompt");
  const commands = 'el Prompt; es textbox "Name" = Eva; ec button "Save"';
  const { stdout, stderr, code } = await run(["--desktop", "windows", "-c", commands]);
  assertEquals([code, stderr], [0, ""]);
  assertStringIncludes(stdout, 'button "Save"');
  assertEquals((await dialog.pressed()).name, "Eva");
  assertMatch((await run(["doctor"])).stdout, /elements\s+by MSAA, since UI Automation gives no trees here/);
});

Deno.test("Wine's UI Automation creates requests, and refuses subtrees with the handled error", () => {
  const libraries = openElementLibraries();
  using automation = createObject(libraries, AUTOMATION_CLASSES[0], IID.IUIAutomation)!;
  using request = automation.object(SLOTS.IUIAutomation.CreateCacheRequest)!;
  const results = Object.values(CACHED).map((id) =>
    request.call(SLOTS.IUIAutomationCacheRequest.AddProperty, ["i32"], id)
  );
  assertEquals(results.filter((result) => result < 0).length < results.length, true);
  const E_NOTIMPL = 0x80004001 | 0;
  const scope = request.call(SLOTS.IUIAutomationCacheRequest.put_TreeScope, ["i32"], SCOPE.subtree);
  assertEquals(scope, E_NOTIMPL);
  assertEquals(Automation.open(createObject.bind(undefined, libraries), libraries.ole), undefined);
});
