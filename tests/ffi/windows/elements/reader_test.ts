/**
 * Elements on Windows from UI Automation and MSAA. The programs are fakes whose methods are at the headers'
 * indexes: Wine's UI Automation has no trees and no patterns.
 */

import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { ElementInfo, WindowInfo } from "../../../../control/desktop/desktop.ts";
import { StateError } from "../../../../core/errors.ts";
import { guid } from "../../../../ffi/windows/elements/com.ts";
import { WindowReader } from "../../../../ffi/windows/elements/reader.ts";
import { type FakeElement, type FakeWindow, FakeWindows } from "./fake_windows.ts";

const FRAME: WindowInfo = {
  id: "0x10",
  title: "Notes",
  class: "Notes",
  pid: 7,
  x: 0,
  y: 0,
  width: 400,
  height: 300,
  state: "normal",
  active: true,
};

const BUTTON = 50000, CHECK_BOX = 50002, EDIT = 50004, LIST_ITEM = 50007, SLIDER = 50015, WINDOW = 50032;
const PANE = 50033, TITLE_BAR = 50037;

function element(
  id: number,
  ControlType: number,
  Name: string,
  rest: Partial<FakeElement> = {},
): FakeElement {
  const place = Float64Array.of(10 * id, 20, 30.4, 15.5);
  const properties = { ControlType, Name, IsPassword: false, IsEnabled: true, BoundingRectangle: place };
  return { id: [42, id], ...rest, properties: { ...properties, ...rest.properties } };
}

/** A window with elements of every kind. */
function notes(): FakeElement {
  const hasValue = { IsValuePatternAvailable: true };
  return element(1, WINDOW, "Notes", {
    children: [
      element(2, BUTTON, "Save", { patterns: ["Invoke", "Toggle"] }),
      element(3, BUTTON, "Gone", { properties: { IsEnabled: false } }),
      element(4, EDIT, "Name", { properties: hasValue, value: "Ada\r\nLovelace", patterns: ["Value"] }),
      element(5, EDIT, "Secret", { properties: { ...hasValue, IsPassword: true }, value: "hunter2" }),
      element(6, CHECK_BOX, "Gift", {
        properties: { IsTogglePatternAvailable: true, ToggleToggleState: 1, HasKeyboardFocus: true },
      }),
      element(7, SLIDER, "Size", { properties: { IsRangeValuePatternAvailable: true, RangeValueValue: 30 } }),
      element(8, LIST_ITEM, "Far", { properties: { IsOffscreen: true }, patterns: ["ScrollItem"] }),
    ],
  });
}

const lines = (elements: readonly ElementInfo[]) =>
  elements.map(({ depth, role, name, value, states }) =>
    [depth, role, name, value, ...states].filter((word) => word !== undefined).join(" ")
  );

function opened(...windows: FakeWindow[]) {
  const fake = new FakeWindows(windows), reader = new WindowReader(fake.libraries);
  return { fake, reader, [Symbol.dispose]: () => fake[Symbol.dispose]() };
}

Deno.test("lists a UI Automation subtree with roles, values, states and positions", () => {
  using desktop = opened({ handle: 0x10n, className: "Notes", automation: notes() });
  const { elements, places, isWhole } = desktop.reader.read(FRAME, false);
  assertEquals(lines(elements), [
    "0 frame Notes",
    "1 button Save",
    "1 button Gone disabled",
    "1 textbox Name Ada\nLovelace",
    "1 password Secret",
    "1 checkbox Gift focused checked",
    "1 slider Size 30",
  ]);
  assertEquals([elements[1].place, places, isWhole], [
    { x: 20, y: 20, width: 30, height: 16 },
    "screen",
    true,
  ]);
  assertEquals(lines(desktop.reader.read(FRAME, true).elements).at(-1), "1 listitem Far hidden");
});

Deno.test("requests a password's text from no program", () => {
  const root = notes();
  // Its program does not say whether this is a password.
  root.children!.push({
    id: [42, 9],
    properties: { ControlType: EDIT, Name: "Unsure", IsValuePatternAvailable: true },
    value: "hunter2",
  });
  using desktop = opened({ handle: 0x10n, className: "Notes", automation: root });
  desktop.reader.read(FRAME, true);
  assertEquals(desktop.fake.calls, ["asked Name for 30045"]);
  assertEquals(desktop.fake.com.texts, []);
});

Deno.test("a read holds no more references than the previous one", () => {
  using desktop = opened({ handle: 0x10n, className: "Notes", automation: notes() });
  desktop.reader.read(FRAME, true);
  const { references } = desktop.fake.com;
  for (let i = 0; i < 3; i++) desktop.reader.read(FRAME, true);
  assertEquals(desktop.fake.com.references, references);
});

Deno.test("a read that fails half-way, and an opening that fails, hold no references", () => {
  const root = notes();
  using desktop = opened({ handle: 0x10n, className: "Notes", automation: root });
  const { references } = desktop.fake.com;
  root.children!.at(-1)!.hidesChildren = true;
  for (let i = 0; i < 3; i++) desktop.reader.read(FRAME, true);
  assertEquals(desktop.fake.com.references, references);

  using fake = new FakeWindows([]);
  fake.cachesTrees = false;
  new WindowReader(fake.libraries);
  assertEquals(fake.com.references, 0);
});

Deno.test("changes an element by its first pattern, and sets text with CRLF line endings", async () => {
  const root = notes(), [, , name, , gift] = root.children!;
  using desktop = opened({ handle: 0x10n, className: "Notes", automation: root });
  const { reader, fake } = desktop, { elements } = reader.read(FRAME, true);
  const keyOf = (wanted: string) => elements.find(({ name }) => name === wanted)!.key;
  const change = (wanted: string, type: "press" | "focus" | "scroll") =>
    reader.change(keyOf(wanted), { type });
  fake.calls.length = 0;
  gift.patterns = ["SelectionItem", "LegacyIAccessible"];
  assertEquals(await change("Save", "press"), true);
  assertEquals(await change("Gift", "press"), true);
  assertEquals(await change("Gift", "focus"), true);
  assertEquals(await change("Far", "scroll"), true);
  assertEquals(fake.calls, [
    "Invoke 3 Save",
    "SelectionItem 3 Gift",
    "focus Gift",
    "ScrollItem 3 Far",
  ]);
  assertEquals(await change("Gone", "press"), false);
  assertEquals(await reader.change(keyOf("Name"), { type: "set", text: "a\nb" }), true);
  assertEquals([name.value, reader.reread(keyOf("Name"))!.value], ["a\r\nb", "a\nb"]);
});

Deno.test("a key means only its element: not one in its place, and not a reused one", async () => {
  const root = notes();
  using desktop = opened({ handle: 0x10n, className: "Notes", automation: root });
  const { reader, fake } = desktop, [, save] = reader.read(FRAME, false).elements;
  assertEquals(reader.reread(save.key)!.name, "Save");
  const [first] = root.children!;
  first.isGone = true;
  root.children = [element(9, BUTTON, "Save", { patterns: ["Invoke"] }), ...root.children!.slice(1)];
  fake.calls.length = 0;
  assertEquals(reader.reread(save.key), undefined);
  assertEquals([await reader.change(save.key, { type: "press" }), fake.calls], [false, []]);
  // The same object has another identifier: it now stands for another element.
  delete first.isGone;
  first.id = [42, 99];
  assertEquals([await reader.change(save.key, { type: "press" }), fake.calls], [false, []]);
});

Deno.test("a reader finds an element whose window it has not read", () => {
  const window: FakeWindow = { handle: 0x10n, className: "Notes", automation: notes() };
  using first = opened(window);
  using second = opened(window);
  const { key } = first.reader.read(FRAME, false).elements[3];
  assertEquals(second.reader.reread(key)!.name, "Name");
});

/** A window whose controls MSAA reports. */
function dialog(automation?: FakeElement): FakeWindow[] {
  const CLIENT = 10, control = { parent: 0x10n, process: 7 };
  return [
    { handle: 0x10n, className: "#32770", accessible: { role: CLIENT, name: "Ask" }, automation },
    { ...control, handle: 0x11n, className: "Static", accessible: { role: CLIENT, name: "Name" } },
    {
      ...control,
      handle: 0x12n,
      className: "RichEdit20W",
      accessible: { role: CLIENT, name: "Ada", place: [1, 2, 30, 40] },
    },
    { ...control, handle: 0x13n, className: "Static", accessible: { role: CLIENT, name: "Secret" } },
    {
      ...control,
      handle: 0x14n,
      className: "Edit",
      style: 0x20,
      accessible: { role: 42, name: "Secret", value: "hunter2", states: 0x20000004 },
    },
    { ...control, handle: 0x15n, className: "Button", accessible: { role: CLIENT, name: "OK" } },
    {
      ...control,
      handle: 0x16n,
      className: "Items",
      accessible: {
        role: 33,
        name: "Fruit",
        children: [
          { role: 34, name: "Apple", isSimple: true, states: 2 },
          { role: 34, name: "Pear", children: [{ role: 41, name: "green" }] },
          { role: 9, name: "a window, which is read as one" },
        ],
      },
    },
    {
      ...control,
      handle: 0x17n,
      className: "Button",
      isHidden: true,
      accessible: { role: 43, name: "Hidden" },
    },
  ];
}

const DIALOG_LINES = [
  "0 dialog Ask",
  "1 label Name",
  "1 textbox Name Ada",
  "1 label Secret",
  "1 password Secret focused",
  "1 button OK",
  "1 list Fruit",
  "2 listitem Apple selected",
  "2 listitem Pear",
  "3 label green",
];

Deno.test("reads controls and their items through MSAA if UI Automation caches no trees", () => {
  using fake = new FakeWindows(dialog());
  fake.cachesTrees = false;
  const reader = new WindowReader(fake.libraries), { elements, silent } = reader.read(FRAME, false);
  assertEquals([lines(elements), silent], [DIALOG_LINES, undefined]);
  assertEquals(elements[2].place, { x: 1, y: 2, width: 30, height: 40 });
  assertEquals(fake.calls.filter((call) => call.startsWith("value")), []);
  assertEquals(fake.com.texts, []);
  const { references } = fake.com;
  reader.read(FRAME, true);
  assertEquals(fake.com.references, references);
});

Deno.test("uses MSAA only if UI Automation reports nothing but windows", () => {
  const bare = element(1, WINDOW, "Ask", {
    children: [
      element(2, TITLE_BAR, "Ask", { children: [element(3, BUTTON, "Close")] }),
      element(4, PANE, "", { children: [element(5, PANE, "")] }),
    ],
  });
  using fake = new FakeWindows(dialog(bare));
  const reader = new WindowReader(fake.libraries);
  assertEquals(lines(reader.read(FRAME, false).elements), DIALOG_LINES);
  bare.children!.push(element(6, BUTTON, "OK"));
  assertEquals(lines(reader.read(FRAME, false).elements).at(-1), "1 button OK");
});

Deno.test("presses an MSAA item only if it is still there", async () => {
  const windows = dialog(), fruit = windows[6].accessible!;
  using fake = new FakeWindows(windows);
  fake.cachesTrees = false;
  const reader = new WindowReader(fake.libraries), { elements } = reader.read(FRAME, false);
  const keyOf = (wanted: string) => elements.find(({ name }) => name === wanted)!.key;
  const press = (wanted: string) => reader.change(keyOf(wanted), { type: "press" });
  assertEquals([await press("Apple"), await press("Pear"), await press("green")], [true, true, true]);
  assertEquals(fake.calls, ["press Apple", "press Pear", "press green"]);
  fruit.children!.unshift({ role: 34, name: "Lemon", isSimple: true });
  assertEquals([await press("Apple"), reader.reread(keyOf("Pear"))], [false, undefined]);
  windows[5].process = 8; // another program's window has the handle
  assertEquals([await press("OK"), fake.calls.length], [false, 3]);
});

Deno.test("sets text through MSAA", async () => {
  const windows = dialog();
  using fake = new FakeWindows(windows);
  fake.cachesTrees = false;
  const reader = new WindowReader(fake.libraries);
  const field = reader.read(FRAME, false).elements.find(({ role }) => role === "textbox")!;
  assertEquals(await reader.change(field.key, { type: "set", text: "Zoë\n漢" }), true);
  assertEquals(windows[2].accessible!.value, "Zoë\r\n漢");
});

Deno.test("does not query a program that does not respond", () => {
  using desktop = opened({ handle: 0x10n, className: "Notes", automation: notes(), isHung: true });
  const { reader } = desktop, { elements, silent } = reader.read(FRAME, false);
  assertEquals([elements, silent], [[], "its program does not answer"]);
  assertThrows(() => reader.reread("uia 10 42.2"), StateError, "the element's program does not answer");
  assertEquals(desktop.fake.calls, []);
});

Deno.test("says why a window shows nothing", () => {
  using desktop = opened({ handle: 0x10n, className: "Game" });
  assertEquals(desktop.reader.read(FRAME, false).silent, "its program has reported none");
  assertEquals(desktop.reader.read({ ...FRAME, state: "minimized" }, false).silent, "it is minimized");
});

Deno.test("encodes a COM identifier like its structure", () => {
  const bytes = [0x56, 0x34, 0x12, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1, 2, 3, 4, 5, 6, 7, 8];
  assertEquals([...guid("78123456-bc9a-f0de-0102-030405060708")], bytes);
});

Deno.test("keys of other kinds and of closed windows match nothing", async () => {
  using desktop = opened({ handle: 0x10n, className: "Notes", automation: notes() });
  for (const key of ["", "x", "uia zz 1", "uia 10", "msaa 10 7 1", "uia 99 42.2", ":1.5 /org/a11y"]) {
    assertEquals(desktop.reader.reread(key), undefined, key);
    assertEquals(await desktop.reader.change(key, { type: "press" }), false, key);
  }
  assertMatch(desktop.reader.read(FRAME, false).elements[1].key, /^uia 10 42\.2$/);
});
