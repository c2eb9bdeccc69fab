/** Elements are chosen, clicked and set; errors say why an action is not possible. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ACTIONS } from "../../../control/actions/mod.ts";
import { NotFoundError, StateError } from "../../../core/errors.ts";
import type { Operator } from "../../../control/operator/operator.ts";
import { waitForElement } from "../../../control/elements/awaited.ts";
import { clickChecked } from "../../../control/elements/chosen.ts";
import type { Desktop } from "../../../control/desktop/desktop.ts";
import { fieldOf, fieldsIn } from "../../../control/elements/labels.ts";
import type { ListedElement } from "../../../control/elements/list.ts";
import { findElement, inContainer, matchingElements } from "../../../control/elements/query.ts";
import { optionsOf, tableRows } from "../../../control/elements/table.ts";
import { runLine } from "../../../control/prompt/commands.ts";
import { callEntry } from "../../../control/trace/calls.ts";
import { VirtualDesktop } from "../../../ffi/virtual/mod.ts";
import { call, wordsOf } from "../../support/agent_tools.ts";
import { controlApi, runnerOf } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";
import { short, until } from "../../support/shell.ts";

const place = { x: 10, y: 20, width: 30, height: 10 };
/** A form in a window. */
const FORM = [
  { key: "w", role: "dialog", name: "Ask", depth: 0, place: { x: 0, y: 0, width: 600, height: 300 } },
  { key: "p", role: "panel", name: "", depth: 1 },
  { key: "s", role: "button", name: "Save", depth: 2, place },
  { key: "l", role: "label", name: "Save", depth: 3, place },
  { key: "a", role: "button", name: "Save as", depth: 2, place },
  { key: "d", role: "button", name: "Delete", depth: 2, place, states: ["disabled"] as const },
  { key: "n", role: "textbox", name: "Name", depth: 2, place, value: "Ada" },
  { key: "h", role: "button", name: "Far", depth: 2, place, states: ["hidden"] as const },
];

const BUTTON = { role: "button", window: {} };

function form() {
  const desktop = new ElementsDesktop(FORM.map((element) => ({ ...element }))), api = controlApi({ desktop });
  return {
    desktop,
    api,
    async post(path: string, body: unknown) {
      const answer = await api.request("POST", path, body);
      return { status: answer.status, ...await answer.json() };
    },
    get: async (path: string) => await (await api.request("GET", path)).text(),
  };
}

Deno.test("a list omits layout elements and repeated labels, and its refs are stable", async () => {
  const { get } = form(),
    expected = [
      '# "Notes", 5 elements, places: screen, serial 1',
      'e1 dialog "Ask" @300,150',
      '  e2 button "Save" @25,25',
      '  e3 button "Save as" @25,25',
      '  e4 button "Delete" disabled @25,25',
      '  e5 textbox "Name" = "Ada" @25,25',
      "",
    ].join("\n");
  assertEquals(await get("/api/elements?format=text"), expected);
  assertEquals(await get("/api/elements?format=text"), expected);
  const { elements, more, places, whole } = JSON.parse(await get("/api/elements?role=button&limit=2"));
  assertEquals([elements.length, more, places, whole], [2, 1, "screen", true]);
  assertEquals(elements[0], { ref: "e2", role: "button", name: "Save", states: [], depth: 1, ...place });
  const hidden = JSON.parse(await get("/api/elements?name=far&visible=false"));
  assertEquals(
    hidden.elements.map(({ name, states }: { name: string; states: string[] }) => [name, states]),
    [
      ["Far", ["hidden"]],
    ],
  );
});

Deno.test("a text names the nameless button around it, and text that repeats a value is left out", async () => {
  const { get, post, desktop } = form();
  desktop.made = [
    FORM[0],
    { key: "b", role: "button", name: "", depth: 1, place },
    { key: "bl", role: "label", name: "π", depth: 2, place },
    { key: "v", role: "paragraph", name: "", depth: 1, place, value: "5 EUR" },
    { key: "vs", role: "static", name: "5 EUR", depth: 2, place },
    { key: "c", role: "checkbox", name: "", depth: 1, place },
    { key: "t", role: "textbox", name: "", depth: 2, place, value: "π" },
  ];
  const { elements } = JSON.parse(await get("/api/elements"));
  assertEquals(
    elements.map(({ role, name }: { role: string; name: string }) => [role, name]),
    [["dialog", "Ask"], ["button", "π"], ["paragraph", ""], ["checkbox", ""], ["textbox", ""]],
  );
  const { ok, ref, name } = await post("/api/element/click", { role: "button", name: "π" });
  assertEquals([ok, ref, name], [true, "e2", "π"]);
});

Deno.test("a name that a button shares with its window and its panel means the button", async () => {
  const { post, desktop } = form();
  desktop.made = [
    { ...FORM[0], name: "7" },
    { key: "p", role: "panel", name: "7", depth: 1, place },
    { key: "b", role: "button", name: "7", depth: 2, place },
  ];
  const { ok, role } = await post("/api/element/click", { name: "7" });
  assertEquals([ok, role], [true, "button"]);
});

Deno.test("a name that a button shares with its inner part means the outer one", async () => {
  const { post, desktop } = form();
  desktop.made = [
    { key: "o", role: "button", name: "Menu", depth: 1, place: { ...place, width: place.width + 2 } },
    { key: "i", role: "button", name: "Menu", depth: 2, place },
  ];
  const { ok, ref } = await post("/api/element/click", { role: "button", name: "Menu" });
  assertEquals([ok, ref], [true, "e1"]);
  Object.assign(desktop.made[1], { place: { ...place, x: place.x + 200 } });
  assertMatch((await post("/api/element/click", { name: "Menu" })).error, /^2 elements match/);
});

Deno.test("a name that a button shares with a field's label means the field when it is set", async () => {
  const { post, desktop } = form();
  desktop.made = [
    FORM[0],
    { key: "l", role: "label", name: "Replace:", depth: 1, place: { x: 10, y: 10, width: 60, height: 20 } },
    { key: "t", role: "textbox", name: "", depth: 1, place: { x: 80, y: 10, width: 90, height: 20 } },
    { key: "b", role: "button", name: "Replace", depth: 1, place: { x: 10, y: 50, width: 60, height: 20 } },
  ];
  desktop.onChange = (element, change) => {
    if (element.key !== "t" || change.type !== "set") return element.key === "t";
    element.value = change.text;
    return true;
  };
  for (const body of [{ name: "Replace", text: "Bye" }, { name: "Replace", to: "Hello" }]) {
    const { status, role, value } = await post("/api/element/set", body);
    assertEquals([status, role, value], [200, "textbox", body.text ?? body.to]);
  }
  const named = await post("/api/element/set", { role: "button", name: "Replace", text: "Bye" });
  assertEquals([named.status, named.error], [409, 'button "Replace" (e4) takes no text: click it']);
});

/** Fields beside a label "Case:" that have another label. */
const LABELLED: { role: string; name: string; to: unknown }[] = [
  { role: "checkbox", name: "Hidden", to: true },
  { role: "spinbutton", name: "Indent:", to: 3 },
];

for (const { to, ...field } of LABELLED) {
  Deno.test(`a label does not stand for the ${field.role} ${JSON.stringify(field.name)} beside it`, async () => {
    const { post, desktop } = form();
    desktop.made = [
      FORM[0],
      { key: "l", role: "label", name: "Case:", depth: 1, place: { x: 10, y: 10, width: 60, height: 20 } },
      { key: "f", ...field, depth: 1, place: { x: 80, y: 10, width: 90, height: 20 } },
      { key: "i", role: "label", name: "Indent:", depth: 1, place: { x: 10, y: 50, width: 60, height: 20 } },
    ];
    const { status, error } = await post("/api/element/set", { name: "Case", to });
    assertEquals([status, error], [409, 'label "Case:" (e2) takes no text']);
    assertEquals([desktop.log, desktop.changes.filter(([key]) => key === "f")], [[], []]);
  });
}

/** Requests, with their status and message. */
const REFUSED: [body: Record<string, unknown>, status: number, message: RegExp][] = [
  [{}, 400, /^Missing element, role or name$/],
  [{ role: "button", name: "Sve" }, 404, /^there is no button "Sve" in "Notes"; near: button "Save" \(e2\)/],
  [
    { role: "togglebutton", name: "Save it" },
    404,
    /^there is no togglebutton "Save it" in "Notes"; near: button "Save as" \(e3\), .*; roles there: dialog, button, textbox$/,
  ],
  [
    { role: "textbox", name: "Zip" },
    404,
    /^there is no textbox "Zip" in "Notes"; there: textbox "Name" \(e5\)$/,
  ],
  [{ name: "Zz" }, 404, /^there is no element "Zz" in "Notes"; near: /],
  [
    { role: "button" },
    409,
    /^3 elements match button: button "Save" \(e2\), .* \(e4\); specify element or nth$/,
  ],
  [{ role: "button", nth: 4 }, 404, /^only 3 elements match button in "Notes", but nth is 4$/],
  [{ name: "Delete" }, 409, /^element "Delete" \(e4\) is disabled|^button "Delete" \(e4\) is disabled$/],
  [{ element: "e99" }, 404, /^there is no element e99: list the elements first$/],
  [{ element: "X!" }, 400, /^element must have a form such as e12, button "Save"/],
  [
    { element: { role: "button", nmae: "Save" } },
    400,
    /^element\.nmae is unknown: did you mean element\.name\?$/,
  ],
  [{ element: 5 }, 400, /^element must be a JSON object, not 5$/],
  [
    { name: "Save", title: "no such window" },
    404,
    /^no window matches title "no such window"; open windows: "Notes", "Clock", "Form"$/,
  ],
];

for (const [body, status, message] of REFUSED) {
  Deno.test(`a click on ${JSON.stringify(body)} is refused with ${status}, and nothing is clicked`, async () => {
    const { post, desktop } = form(), answer = await post("/api/element/click", body);
    assertEquals(answer.status, status, answer.error);
    assertMatch(answer.error, message);
    assertEquals(desktop.log, []);
  });
}

Deno.test("an exact name match is clicked in its center, at its current position", async () => {
  const { post, desktop } = form();
  const { ok, via, ref } = await post("/api/element/click", { name: "save" });
  assertEquals([ok, via, ref], [true, "click", "e2"]);
  desktop.made[2].place = { x: 100, y: 100, width: 30, height: 10 };
  await post("/api/element/click", { element: "e2", button: "right" });
  assertEquals(short(desktop.log), ["(25,25)", "+left", "-left", "(115,105)", "+right", "-right"]);
});

Deno.test("blanks in the name of a field beside a label take no time", () => {
  const label = { ref: "e1", key: "l", role: "label", name: "Case:", states: [], depth: 1, place };
  const field = {
    ...{ ...label, ref: "e2", role: "textbox", place: { ...place, x: 50 } },
    name: `${" ".repeat(50_000)}x`,
  };
  assertEquals(fieldOf(label, fieldsIn([label, field])), field);
});

Deno.test("a window with as many elements as are read takes no time", () => {
  const rows = Array.from({ length: 5000 }, (_, i) => i), at = { key: "", states: [] };
  const tableOf = (role: string, nameOf: (row: number, column: number) => string, value?: string) => [
    { ...at, ref: "e1", role: "window", name: "Orders", depth: 0 },
    ...rows.flatMap((i) => [
      { ...at, ref: `r${i}`, role: "row", name: "", depth: 1 },
      ...[0, 1, 2].map((j) => {
        const cell = { ...at, ref: `r${i}c${j}`, role, name: nameOf(i, j), depth: 2 };
        return { ...cell, place: { x: 30 * j, y: 20 * i, width: 30, height: 20 }, ...value && { value } };
      }),
    ]),
  ];
  const open = tableOf("cell", (i, j) => `open ${i} ${j}`);
  assertEquals(inContainer(open, "open", { role: "button", name: "Reject" }), []);
  assertEquals(inContainer(open, "open", { role: "window" }).length, open.length);
  assertEquals(matchingElements(open, { role: "textbox", name: "open" }), []);
  assertEquals(tableRows(open).length, rows.length);
  const blank = tableOf("cell", () => "");
  assertEquals(tableRows(blank), []);
  const sheet = tableOf("cell", (i, j) => `${"ABC"[j]}${i + 1}`, "x");
  assertEquals(tableRows(sheet).length, 1 + rows.length);
  const options = optionsOf(tableOf("label", (i) => `option ${i}`), "e1");
  assertEquals(options.map(({ label }) => label), rows.map((i) => `option ${i}`));
});

Deno.test("an element is clicked in place once its program knows its window's position", async () => {
  const { desktop, post } = form(), windows = desktop.windows!;
  // A busy program reports the old positions until it has handled its window's move.
  windows.hasHandled = () => {
    for (const made of desktop.made) if (made.place) made.place = { ...made.place, x: 210 };
    return Promise.resolve(true);
  };
  assertEquals((await post("/api/element/click", { name: "save" })).via, "click");
  assertEquals(await desktop.pointer.position(), { x: 225, y: 25 });
});

Deno.test("an item of a closed menu is not clicked, and the error says what to open", async () => {
  const { post, desktop } = form();
  desktop.made.push({ key: "q", role: "menuitem", name: "Quit", depth: 2, states: ["hidden"] });
  const { status, error } = await post("/api/element/click", { element: 'menuitem "Quit"' });
  assertEquals([status, error], [409, 'menuitem "Quit" (e7) is not shown: open its menu first']);
});

Deno.test("cells that a program recreates for each reading keep their refs", async () => {
  const { get, post, desktop } = form();
  let reading = 0;
  const cell = (name: string, y: number) => ({
    ...{ key: `${name} ${y} ${++reading}`, role: "cell", name, depth: 1, place: { ...place, y } },
  });
  const refs = async (...cells: ReturnType<typeof cell>[]) => {
    desktop.made = [FORM[0], ...cells];
    const { elements } = JSON.parse(await get("/api/elements?role=cell"));
    return elements.map(({ ref }: { ref: string }) => ref);
  };
  const [rope, nail] = await refs(cell("Rope", 0), cell("Nail", 20));
  assertEquals(await refs(cell("Rope", 0), cell("Nail", 20)), [rope, nail]);
  assertEquals((await post("/api/element/click", { element: nail })).ref, nail);
  const [changed, kept] = await refs(cell("Cord", 0), cell("Nail", 20));
  assertEquals(kept, nail);
  // A list that has scrolled may show another row of the same name at the same place.
  const [, first, twin] = await refs(cell("Cord", 0), cell("Nail", 20), cell("Nail", 40));
  assertEquals(new Set([rope, changed, nail, first, twin]).size, 5);
  assertMatch((await post("/api/element/click", { element: rope })).error, /is gone; it was cell "Rope"/);
});

Deno.test("a ref to a removed element says what the element was", async () => {
  const { post, desktop } = form();
  await post("/api/element/click", { name: "save" });
  desktop.made = desktop.made.filter(({ key }) => key !== "s");
  const { status, error } = await post("/api/element/click", { element: "e2" });
  assertEquals([status, error], [404, 'e2 is gone; it was button "Save" in "Notes"']);
});

Deno.test("an element without a position is pressed by its program, and the answer says so", async () => {
  const { post, desktop } = form();
  delete desktop.made[2].place;
  const refused = await post("/api/element/click", { name: "save" });
  assertEquals([refused.status, refused.error], [
    409,
    'button "Save" (e2) has no place, and its program does not press it',
  ]);
  desktop.onChange = (_, { type }) => type === "press";
  assertEquals((await post("/api/element/click", { name: "save" })).via, "action");
  assertEquals(desktop.log, []);
});

Deno.test("an element partly off the screen is clicked on its visible part", async () => {
  const { post, desktop } = form(), { width } = desktop.screen.layout();
  desktop.made[2].place = { x: width - 80, y: 100, width: 400, height: 20 };
  assertEquals((await post("/api/element/click", { name: "save" })).via, "click");
  assertEquals(short(desktop.log), [`(${width - 40},110)`, "+left", "-left"]);
  desktop.made[2].place.x = width;
  const { status, error } = await post("/api/element/click", { name: "save" });
  const why = "is off the screen, and its program does not press it";
  assertEquals([status, error], [409, `button "Save" (e2) ${why}`]);
  desktop.onChange = (_, { type }) => type === "press";
  assertEquals((await post("/api/element/click", { name: "save" })).via, "action");
});

Deno.test("an element that an unlisted window covers is pressed by its program", async () => {
  const { post, desktop } = form();
  desktop.elements.hits = (key, { x, y }) => Promise.resolve(key !== "s" || x !== 25 || y !== 25);
  const refused = await post("/api/element/click", { name: "save" });
  assertEquals([refused.status, refused.error], [
    409,
    'button "Save" (e2) is covered by a window that is not listed, and its program does not press it',
  ]);
  desktop.onChange = (_, { type }) => type === "press";
  assertEquals((await post("/api/element/click", { name: "save" })).via, "action");
  assertEquals(desktop.log, []);
  desktop.elements.hits = () => Promise.resolve(true);
  assertEquals((await post("/api/element/click", { name: "save" })).via, "click");
});

Deno.test("a new window without elements or positions is reread; an old one is believed", async () => {
  const { desktop, api, post } = form(), windows = desktop.windows!, [notes] = await windows.list();
  const { read } = desktop.elements;
  let shown = [notes], reads = 0;
  desktop.elements.read = async (window, hidden) => {
    const tree = await read(window, hidden);
    // Like GTK 4: not on the bus at first, then without positions.
    if (++reads === 1) return { ...tree, elements: [], places: "none", silent: "its program is not there" };
    return reads === 2 ? { ...tree, places: "none" } : tree;
  };
  windows.list = () => Promise.resolve(shown);
  const places = async () => (await (await api.request("GET", "/api/elements?title=new")).json()).places;
  await api.request("GET", "/api/windows");
  shown = [{ ...notes, id: "0x99", title: "new" }, notes];
  assertEquals([await places(), reads], ["screen", 3]);
  // One that stays silent is believed after a second, and then immediately.
  desktop.silent = "it uses Qt";
  desktop.made = [];
  reads = 10;
  const { status, error } = await post("/api/element/click", { title: "new", name: "Save" });
  assertEquals(status, 409, error);
  const before = reads;
  await post("/api/element/click", { title: "new", name: "Save" });
  assertEquals(reads, before + 1);
  // A window that existed before the first look may be of any age.
  const other = form(), { read: readOther } = other.desktop.elements;
  let others = 0;
  other.desktop.elements.read = (...args) => (others++, readOther(...args));
  other.desktop.silent = "it uses Qt";
  other.desktop.made = [];
  assertEquals((await other.post("/api/element/click", { name: "Save" })).status, 409);
  assertEquals(others, 1);
});

Deno.test("a text is set by the program and read back, or typed if the program does not set it", async () => {
  const { post, desktop } = form();
  desktop.onChange = (element, change) => {
    if (change.type !== "set") return false;
    element.value = change.text;
    return true;
  };
  const { via, value } = await post("/api/element/set", { name: "Name", text: "Zoë" });
  assertEquals([via, value, desktop.log], ["action", "Zoë", []]);
  desktop.onChange = () => true; // claims success and does nothing
  const field = desktop.made.find(({ key }) => key === "n")!;
  field.states = ["focused"];
  const typing = post("/api/element/set", { name: "Name", text: "Eva" });
  const { status, error } = await typing;
  assertEquals([status, error], [409, 'textbox "Name" (e5) has the text "Zoë" after the change']);
  const keys = ["+ctrl", "+a", "-a", "-ctrl", "+ctrl", "+home", "-home", "-ctrl"];
  const rest = ["+ctrl", "+shift", "+end", "-end", "-shift", "-ctrl", "Eva"];
  assertEquals(short(desktop.log).slice(-15), [...keys, ...rest]);
});

Deno.test("a text is set only after the program has handled earlier keys, so as not to overtake them", async () => {
  const { desktop, post } = form(), order: string[] = [];
  desktop.windows!.hasHandled = () => {
    order.push("handled");
    return Promise.resolve(true);
  };
  desktop.onChange = (element, change) => {
    order.push(change.type);
    if (change.type !== "set") return false;
    element.value = change.text;
    return true;
  };
  for (const given of [{ text: "Zoë" }, { to: "Bob" }]) {
    order.length = 0;
    assertEquals((await post("/api/element/set", { name: "Name", ...given })).error, undefined);
    assertEquals([order[0], order.includes("set")], ["handled", true]);
  }
});

Deno.test("no text is set and no element focused while the program still handles earlier keys", async () => {
  const { desktop, post } = form(), changes: string[] = [];
  const asked: number[] = [];
  Object.assign(desktop.windows!, {
    hasHandled: (_: unknown, ms: number) => Promise.resolve(asked.push(ms) < 0),
  });
  desktop.onChange = (_, { type }) => changes.push(type) > 0;
  // Without earlier keys, the program only has to answer.
  const silent = await post("/api/element/set", { name: "Name", text: "Zoë" });
  assertEquals([silent.status, silent.error], [409, 'the program of "Notes" does not answer']);
  assert(asked[0] <= 8000, `${asked}`);
  await post("/api/key", { keys: "left" });
  for (const [path, given] of [["set", { text: "Zoë" }], ["set", { to: "Bob" }], ["focus", {}]] as const) {
    const { status, error } = await post(`/api/element/${path}`, { name: "Name", ...given });
    assertEquals(status, 408);
    assertMatch(error, /^the program of "Notes" has not handled the keys before within \d+ s$/);
  }
  assertEquals(changes, []);
});

Deno.test("a press by the program also waits for earlier keys", async () => {
  const { desktop, post } = form(), order: string[] = [];
  Object.assign(desktop.elements!, { isUnobtrusive: true });
  Object.assign(desktop.windows!, {
    isListOnly: false,
    hasHandled: () => Promise.resolve(order.push("handled") > 0),
  });
  desktop.onChange = (_, { type }) => order.push(type) > 0;
  const { via, error } = await post("/api/element/click", { name: "Save as", background: true });
  assertEquals([via, error], ["action", undefined]);
  assertEquals(order.slice(0, order.indexOf("trigger") + 1), ["handled", "trigger"]);
});

Deno.test("an element that does not accept focus is not typed into", async () => {
  const { post, desktop } = form();
  const { status, error } = await post("/api/element/set", { name: "Name", text: "Eva" });
  assertEquals([status, error], [409, 'textbox "Name" (e5) did not get the keyboard focus when clicked']);
  assertEquals(short(desktop.log), ["(25,25)", "+left", "-left"]);
});

for (
  const [role, given, words] of [
    ["button", { text: "x" }, "takes no text: click it"],
    ["button", { to: true }, "takes no text: click it"],
    ["checkbox", { text: "true" }, 'takes true or false as "to", not a text'],
    ["listitem", { text: "" }, 'takes true or false as "to", not a text'],
    ["list", { text: "" }, 'takes the name of an option as "to", not a text'],
    ["slider", { text: "7" }, 'takes a number as "to", not a text'],
    ["paragraph", { text: "x" }, "takes no text: click it, then type"],
    ["calendar", { to: "2026-12-24" }, "takes no text"],
  ] as const
) {
  Deno.test(`a ${role} that is set to ${JSON.stringify(given)} is neither clicked nor typed into`, async () => {
    const { post, desktop } = form();
    desktop.made.push({ key: "x", role, name: "Some", depth: 2, place, states: ["focused"] });
    const { status, error } = await post("/api/element/set", { role, name: "Some", ...given });
    assertEquals([status, error], [409, `${role} "Some" (e6) ${words}`]);
    assertEquals(desktop.log, []);
  });
}

Deno.test("a read-only field is neither clicked nor typed into", async () => {
  const { post, desktop } = form();
  desktop.made.find(({ key }) => key === "n")!.states = ["focused", "readonly"];
  const { status, error } = await post("/api/element/set", { name: "Name", text: "Eva" });
  assertEquals([status, error], [409, 'textbox "Name" (e5) is read-only']);
  assertEquals(desktop.log, []);
});

Deno.test("no key of a text leaves its field: Enter submits a form, and Tab goes to the next field", async () => {
  const { post, desktop } = form(), field = desktop.made.find(({ key }) => key === "n")!;
  Object.assign(desktop.elements!, { tellsLines: true });
  field.states = ["focused"];
  for (const text of ["a\nb", "a\tb", "a\tb\n"]) {
    const { status, error } = await post("/api/element/set", { name: "Name", text });
    const words = "is a single-line field: Enter and Tab would be key presses";
    assertEquals([status, error], [409, `textbox "Name" (e5) ${words}`]);
    assertEquals(desktop.log, []);
  }
  field.states = ["focused", "multiline"];
  const setting = post("/api/element/set", { name: "Name", text: "a\nb\tc" });
  await until(() => desktop.log, (log) => short(log).includes("+tab"));
  field.states = ["multiline"]; // the next field has the focus
  const { status, error } = await setting;
  assertEquals([status, error], [409, 'Tab left textbox "Name" (e5): the text behind it was not typed']);
  assertEquals(short(desktop.log).slice(-3), ["a\nb", "+tab", "-tab"]);
});

Deno.test("a sheet cell is clicked, typed into and left, and reports how its program read the text", async () => {
  const { post, desktop } = form();
  const cell = {
    key: "c",
    role: "cell",
    name: "B2",
    depth: 2,
    place,
    value: "1",
    states: ["focused"] as const,
  };
  desktop.made.push(cell);
  Object.assign(desktop.elements!, {
    named: (_: unknown, name: string) =>
      Promise.resolve({ ...cell, name, value: desktop.log.length > 3 ? "8" : "1", formula: "=B3*2" }),
  });
  const { status, via, value, formula } = await post("/api/element/set", {
    element: 'cell "B2"',
    to: "=b3 * 2\n",
  });
  assertEquals([status, via, value, formula], [200, "keys", "8", "=B3*2"]);
  // Nothing selects all: that would be the whole sheet. Escape ends the editing that a double click begins.
  const click = ["(25,25)", "+left", "-left", "+escape", "-escape"];
  assertEquals(short(desktop.log), [...click, "=b3 * 2", "+delete", "-delete", "+enter", "-enter"]);
  const { length } = desktop.log;
  const refused = await post("/api/element/set", { element: 'cell "B2"', text: "a\tb" });
  assertEquals([refused.status, desktop.log.length], [409, length]);
});

Deno.test("the label next to a nameless field names it everywhere", async () => {
  const { post, get, desktop } = form();
  const line = (y: number, label: string, field: Partial<typeof FORM[0]>) => [
    { key: `${label}-l`, role: "label", name: label, depth: 2, place: { x: 10, y, width: 60, height: 20 } },
    { key: label, role: "textbox", name: "", depth: 2, place: { x: 90, y, width: 90, height: 20 }, ...field },
  ];
  desktop.made.push(
    ...line(50, "City:", { value: "Bonn" }),
    ...line(80, "Old city", { value: "Trier" }),
    ...line(110, "Country", { role: "combobox", name: "France", value: "France" }),
    ...line(140, "Street", { name: "Own name", value: "" }),
  );
  const { elements } = JSON.parse(await get("/api/elements?role=textbox&name=city"));
  assertEquals(elements.map(({ value }: { value: string }) => value), ["Bonn"]);
  const { element } = await post("/api/wait", {
    element: { role: "combobox", name: "Country", value: "France" },
  });
  assertEquals(element.value, "France");
  desktop.onChange = (element, change) => {
    if (change.type === "set") element.value = change.text;
    return true;
  };
  for (const target of [{ role: "textbox", name: "Old city" }, { name: "Old city" }]) {
    const set = await post("/api/element/set", { ...target, text: JSON.stringify(target) });
    assertEquals([set.status, set.role, set.value], [200, "textbox", JSON.stringify(target)]);
  }
  const named = await post("/api/element/click", { role: "textbox", name: "Street" });
  assertEquals(named.status, 404); // the field has another name
});

Deno.test("a window that shows no elements says why", async () => {
  const { post, get, desktop } = form();
  desktop.made = desktop.made.slice(0, 1);
  desktop.silent = "start it with --force-renderer-accessibility";
  const { error } = await post("/api/element/click", { name: "Save" });
  assertEquals(error, '"Notes" shows no elements: start it with --force-renderer-accessibility');
  assertEquals(
    await get("/api/elements?format=text"),
    '"Notes" shows no elements: start it with --force-renderer-accessibility; use find and screenshot\n',
  );
});

Deno.test("waits for an element to appear and to disappear", async () => {
  const { post, desktop } = form();
  const waiting = post("/api/wait", { element: { role: "button", name: "Done" } });
  desktop.made.push({ key: "x", name: "Done", depth: 1 });
  assertEquals((await waiting).element.name, "Done");
  assertEquals(
    (await post("/api/wait", { element: { name: "Done", gone: true }, timeout_ms: 50 })).error,
    'element "Done" did not disappear within 50 ms',
  );
  desktop.made.pop();
  assertEquals((await post("/api/wait", { element: { name: "Done", gone: true } })).ok, true);
});

/** Ways to name the button "Save as", all accepted wherever a field is called element. */
const NAMES: unknown[] = [
  "e3",
  'button "Save as"',
  'button "Save" 2 in "Notes"',
  { role: "button", name: "Save as" },
  { name: "Save as", exact: true, window: "notes" },
  { role: "button", name: "Save", nth: 2, window: { title: "Notes" } },
  { role: "button", name: "Save as", title: "Notes" },
  { ref: "e3" },
  { element: 'button "Save as"', window: {} },
];

for (const name of NAMES) {
  Deno.test(`an element is named ${JSON.stringify(name)} everywhere`, async () => {
    const { post, get, api, desktop } = form();
    await get("/api/elements");
    const answers = [
      await post("/api/element/click", { element: name }),
      (await post("/api/wait", { element: name, timeout_ms: 1000 })).element,
    ];
    assertEquals(answers.map(({ ref }) => ref), ["e3", "e3"]);
    assertEquals((await post("/api/click", { element: name })).ok, true);
    assertEquals((await post("/api/scroll", { direction: "up", amount: 1, element: name })).ok, true);
    assertMatch(wordsOf(await call(api, "click", { element: name })), /^clicked: button "Save as" \(e3\)/);
    assertMatch(wordsOf(await call(api, "wait", { element: name })), /button "Save as" \(e3\)$/);
    assertMatch(wordsOf(await call(api, "move", { element: name })), /^moved to (e3|button|element)/);
    const path = [{ element: name }, { x: 300, y: 200 }];
    assertMatch(
      wordsOf(await call(api, "drag", { path })),
      /^dragged left from (e3|.* "Save.*) to 300,200 of /,
    );
    assertMatch(wordsOf(await call(api, "screenshot", { element: name })), /^30x10 at 10,20, shown as 60x20/);
    const query = new URLSearchParams({ element: typeof name === "string" ? name : JSON.stringify(name) });
    assertMatch(await get(`/api/pixel?${query}`), /"hex"/);
    assertEquals(desktop.log.filter(({ type }) => type === "button").length, 8);
  });
}

Deno.test("items of a closed menu rank after visible elements, in words and by number", async () => {
  const { desktop, api } = form(), text = { x: 100, y: 100, width: 30, height: 10 };
  desktop.made.splice(2, 0, { key: "m", role: "menuitem", name: "Save", depth: 2 });
  desktop.made.push({ key: "s2", role: "button", name: "Save", depth: 2, place: text });
  const click = async (element: string) => wordsOf(await call(api, "click", { element }));
  assertMatch(await click('"Delete"'), /is disabled/); // lists all
  const alike = await click('"Save"');
  assertMatch(
    alike,
    /^2 elements match .*: button "Save" \(e\d+\), button "Save" \(e\d+\); specify element or nth/,
  );
  const refs = [...alike.matchAll(/\((e\d+)\)/g)].map(([, ref]) => ref);
  for (const [i, ref] of refs.entries()) {
    assertMatch(await click(`"Save" ${i + 1}`), new RegExp(`^clicked: button "Save" \\(${ref}\\)`));
  }
  assertMatch(await click('menuitem "Save"'), /menuitem "Save" \(e\d+\)/);
});

Deno.test("a query joins a name with the fields next to it, as older forms do", async () => {
  const { post } = form();
  const { ref } = await post("/api/element/click", { element: { role: "button" }, name: "Save", nth: 2 });
  assertEquals(ref, "e3");
  const { error } = await post("/api/element/click", { element: '"Save"', title: "Clok" });
  assertEquals(error, 'no window matches title "Clok"; open windows: "Notes", "Clock", "Form"');
});

Deno.test("of several elements with one name, the visible one is used", async () => {
  const { post, desktop } = form();
  desktop.made.push({ key: "m1", role: "menuitem", name: "Copy", depth: 1 });
  desktop.made.push({ key: "m2", role: "menuitem", name: "Copy", depth: 1, place });
  assertEquals((await post("/api/element/click", { name: "Copy" })).via, "click");
});

Deno.test("an agent lists elements in screenshot coordinates, and clicks and sets by refs", async () => {
  const desktop = new ElementsDesktop(FORM.map((element) => ({ ...element })));
  const api = controlApi({ desktop, agents: { view: 640 } });
  const lines = wordsOf(await call(api, "elements", { role: "button" }));
  assertEquals(lines.split("\n")[1], '  e2 button "Save" @12,12');
  assertMatch(wordsOf(await call(api, "click", { element: "e2" })), /^clicked: button "Save" \(e2\)\n/);
  const both = await call(api, "click", { element: "e2", x: 1, y: 1 });
  assertEquals(wordsOf(both), "element and x cannot both be given");
  desktop.onChange = (element, change) => {
    if (change.type === "set") element.value = change.text;
    return true;
  };
  assertMatch(
    wordsOf(await call(api, "type", { element: "e5", text: "Zoë" })),
    /^set textbox "Name" \(e5\)\n/,
  );
});

Deno.test("the prompt lists, clicks and sets elements", async () => {
  const { desktop, api } = form();
  desktop.onChange = (element, change) => {
    if (change.type === "set") element.value = change.text;
    return true;
  };
  const context = {
    runner: runnerOf(api.operator),
    signal: new AbortController().signal,
    by: "prompt" as const,
    notice: () => {},
  };
  const run = (line: string) => runLine(line, context);
  assertEquals(
    await run("el save as"),
    '# "Notes", 1 element, places: screen\n  e3 button "Save as" @25,25',
  );
  assertEquals(await run('ec button "Save"'), 'e2 button "Save"');
  assertEquals(await run("ec e3"), 'e3 button "Save as"');
  assertEquals(await run('ec button "Save" 2 in "Notes"'), 'e3 button "Save as"');
  assertEquals(await run('ec {"name":"Save as","window":"Notes"}'), 'e3 button "Save as"');
  assertEquals(await run('es "Name" = Zoë Ä'), 'e5 textbox "Name", by its program');
  assertEquals(desktop.made.find(({ key }) => key === "n")!.value, "Zoë Ä");
});

Deno.test("a desktop without elements says so", async () => {
  const desktop = Object.assign(new VirtualDesktop(), { elements: undefined });
  const answer = await controlApi<Desktop>({ desktop }).request("GET", "/api/elements");
  assertEquals(answer.status, 409);
  const { error } = await answer.json();
  assertEquals(error, "elements of the virtual desktop cannot be read; use find and screenshot");
});

// Passwords: neither their text nor their length is in an answer, a log or a trace.

const field = (role: string) => ({
  ...{ key: "p", role, name: "Code", place, value: "geheim", states: ["focused"] as const },
});

Deno.test("a password remains secret while its program shows the letters", async () => {
  const desktop = new ElementsDesktop([field("password")]), { request } = controlApi({ desktop });
  const list = async () => await (await request("GET", "/api/elements")).json();
  const { elements: [first] } = await list();
  desktop.made = [field("textbox")];
  const { elements: [shown] } = await list();
  assertEquals([first.role, shown.role, shown.ref, shown.value], ["password", "password", "e1", undefined]);
  for (const query of ["?format=text", "?visible=false", ""]) {
    const answer = await (await request("GET", `/api/elements${query}`)).text();
    assert(!answer.includes("geheim"), answer);
  }
  const set = await (await request("POST", "/api/element/set", { element: "e1", text: "neu" })).json();
  assertEquals([set.via, set.role, set.value], ["keys", "password", undefined]);
});

Deno.test("the agents' log does not even have a text's length for an element", async () => {
  const lines: string[] = [], desktop = new ElementsDesktop([field("password")]);
  const api = controlApi({ desktop, agents: { log: (line) => lines.push(line) } });
  await call(api, "elements");
  await call(api, "type", { element: "e1", text: "geheim" });
  await call(api, "do", { actions: [{ tool: "type", element: "e1", text: "geheim" }], look: false });
  const logged = lines.map((line) => JSON.parse(line).arguments);
  assertEquals(logged.slice(1), [
    { element: "e1", text: "secret" },
    { actions: [{ tool: "type", element: "e1", text: "secret" }], look: false },
  ]);
});

Deno.test("a trace that stores texts stores none for a password or an unknown element", () => {
  const entry = (result?: unknown) =>
    callEntry(
      {
        action: ACTIONS.setElementText,
        values: { name: "Code", text: "geheim" },
        ...{ caller: { by: "http" }, t: 0, ms: 1, result },
        ...(result ? {} : { error: new Error("it does not take the keyboard") }),
      },
      true,
      (text) => text,
    ).values.text;
  assertEquals([entry({ role: "password" }), entry(), entry({ role: "textbox" })], [
    "secret",
    "secret",
    "geheim",
  ]);
});

// Lists of elements since an earlier list: new, changed and removed elements, and when all are listed again.

function changingForm() {
  const desktop = new ElementsDesktop([
    { key: "w", role: "dialog", name: "Ask", depth: 0 },
    { key: "s", name: "Save", place },
    { key: "n", role: "textbox", name: "Name", value: "Ada", place },
    { key: "c", name: "Close", place },
  ]);
  let reads = 0;
  const { elements } = desktop, read = elements.read.bind(elements);
  elements.read = (window, hidden) => (reads++, read(window, hidden));
  const { request } = controlApi({ desktop });
  const list = async (query = "") => await (await request("GET", `/api/elements?${query}`)).json();
  return { desktop, request, list, reads: () => reads };
}

Deno.test("since a serial only new, changed and removed elements are listed", async () => {
  const { desktop, request, list } = changingForm();
  const first = await list();
  assertEquals([first.elements.length, first.since, first.removed], [4, undefined, undefined]);
  desktop.made = [
    ...desktop.made.slice(0, 2),
    { key: "n", role: "textbox", name: "Name", value: "Zoë", place },
    { key: "x", name: "New", place },
  ];
  const second = await list(`since=${first.serial}`);
  assertEquals(second.since, first.serial);
  assertEquals(second.elements.map(({ name }: { name: string }) => name), ["Name", "New"]);
  assertEquals(second.removed, ["e4"]);
  const buttons = await list(`since=${first.serial}&role=button`);
  assertEquals(buttons.elements.map(({ name }: { name: string }) => name), ["New"]);
  const text = await (await request("GET", `/api/elements?format=text&since=${first.serial}`)).text();
  assertMatch(text, /^# "Notes", 2 changed since \d+, places: screen, serial \d+\n.*\n.*\ngone: e4\n$/);
  const third = await list(`since=${second.serial}`);
  assertEquals([third.serial, third.elements, third.removed], [second.serial, [], []]);
});

Deno.test("a serial that is no longer remembered lists all", async () => {
  const { list } = changingForm();
  const { serial } = await list(), far = await list(`since=${serial + 999}`);
  assertEquals([far.since, far.elements.length, far.serial], [undefined, 4, serial]);
  const other = await list(`since=${serial}&visible=false`);
  assertEquals([other.since, other.elements.length], [undefined, 4]);
});

Deno.test("unchanged elements are not reread if the desktop can report changes", async () => {
  const { desktop, list, reads } = changingForm();
  let isSame = false;
  desktop.elements.isSame = () => Promise.resolve(isSame);
  const { serial } = await list();
  await list(`since=${serial}`);
  assertEquals(reads(), 2);
  isSame = true;
  const { elements, removed } = await list(`since=${serial}`);
  assertEquals([reads(), elements, removed], [2, [], []]);
  await list();
  assertEquals(reads(), 3); // without since, all are read
});

Deno.test("an outline has neither refs nor positions, and no focus", async () => {
  const { get, desktop } = form();
  const outline = await get("/api/elements?format=tree");
  assertEquals(
    outline,
    '- dialog "Ask"\n  - button "Save"\n  - button "Save as"\n  - button "Delete" [disabled]\n' +
      '  - textbox "Name": "Ada"\n',
  );
  desktop.made = desktop.made.map((element) => ({
    ...element,
    ...(element.key === "n" ? { states: ["focused"] as const } : {}),
    ...(element.place ? { place: { ...element.place, x: element.place.x + 7 } } : {}),
  }));
  assertEquals(await get("/api/elements?format=tree"), outline);
});

/** Conditions that hold for the form, and what a wait for the opposite reports. */
const HOLDING: [element: Record<string, unknown>, otherwise: string][] = [
  [{ name: "Name", value: "Ada" }, 'element "Name" still has the value "Ada"'],
  [{ role: "textbox", text: "Ada" }, 'textbox still has the text "Ada"'],
  [{ role: "textbox", contains: "AD" }, 'textbox still has a text with "AD"'],
  [{ name: "Delete", states: { disabled: true } }, 'element "Delete" is still disabled'],
  [{ name: "Save", states: { disabled: false } }, 'element "Save" is not disabled'],
  [{ role: "button", count: 3 }, "the number of button is still 3"],
  [{ name: "Nothing", count: 0 }, 'the number of element "Nothing" is still 0'],
];
/** Conditions that do not hold, and what their wait reports. */
const LATE: [element: Record<string, unknown>, message: string][] = [
  [
    { role: "textbox", name: "Name", value: "Bob" },
    'textbox "Name" does not have the value "Bob" after 40 ms: it is e5 textbox "Name" = "Ada"',
  ],
  [{ name: "Delete", states: { disabled: false } }, 'element "Delete" is still disabled after 40 ms'],
  [{ name: "Save", states: { checked: true } }, 'element "Save" is not checked'],
  [{ role: "button", name: "Sve" }, 'button "Sve" did not appear within 40 ms: near: button "Save" (e2)'],
  [{ role: "button", count: 1 }, "the number of button is not 1 after 40 ms: there are 3: e2 button"],
  [
    { name: "Save", states: { disabled: false }, window: "Nowhere" },
    'element "Save" did not appear within 40 ms: no window matches title',
  ],
  [
    { name: "Save", window: "Nowhere" },
    'element "Save" did not appear within 40 ms: no window matches title',
  ],
];

Deno.test("waits until an element is as the fields say, and a timeout reports how it is", async () => {
  const { get, post, desktop } = form();
  await get("/api/elements");
  for (const [element, otherwise] of HOLDING) {
    assertEquals((await post("/api/wait", { element })).ok, true, JSON.stringify(element));
    const { status, error } = await post("/api/wait", {
      element: { ...element, gone: true },
      timeout_ms: 40,
    });
    assertEquals([status, error.startsWith(`${otherwise} after 40 ms: `)], [408, true], error);
  }
  for (const [element, message] of LATE) {
    const { status, error } = await post("/api/wait", { element, timeout_ms: 40 });
    assertEquals([status, error.startsWith(message)], [408, true], error);
  }
  const waiting = post("/api/wait", { element: { role: "textbox", value: "Bob" } });
  desktop.made = desktop.made.map((element) => element.key === "n" ? { ...element, value: "Bob" } : element);
  assertEquals((await waiting).element.value, "Bob");
});

Deno.test("in a list whose rows are not elements, the button on the text's line is used", () => {
  const rows = ["#1", "#2", "#3"].flatMap((id, row) => {
    const at = (role: string, name: string, x: number, height: number): ListedElement => {
      const place = { x, y: 32 * row - height / 2, width: 50, height };
      return { ref: `${name} ${row}`, key: "", role, name, states: [], depth: 1, place };
    };
    return [at("static", id, 0, 17), at("button", `Approve ${id}`, 400, 22), at("button", "Reject", 500, 22)];
  });
  const list: ListedElement = { ref: "list", key: "", role: "document", name: "", states: [], depth: 0 };
  for (const [row, id] of ["#1", "#2", "#3"].entries()) {
    const found = inContainer([list, ...rows], id, { role: "button", name: "Reject" });
    assertEquals(found.map(({ ref }) => ref), [`Reject ${row}`]);
  }
});

Deno.test("elements that a busy program leaves out are not assumed absent", async () => {
  const { desktop, post } = form(), options = ["Single", "Double"];
  const box = { key: "u", role: "combobox", name: "Underlining:", depth: 2, place, value: "Single" };
  desktop.made.splice(
    1,
    0,
    box,
    ...options.map((name) => ({ key: name, role: "option", name, depth: 3, states: ["hidden"] as const })),
  );
  desktop.onChange = ({ key }, { type }) => {
    if (type === "select") desktop.made[1].value = key;
    return type === "select";
  };
  desktop.parts = [2, 2]; // only the window and the box
  const set = await post("/api/element/set", { element: 'combobox "Underlining:"', to: "Double" });
  assertEquals([set.error, set.via, desktop.made[1].value], [undefined, "action", "Double"]);
  desktop.parts = [2, 3];
  assertEquals((await post("/api/element/click", { element: 'button "Save"' })).error, undefined);
  desktop.parts = Array(500).fill(2);
  const late = await post("/api/element/set", { element: 'combobox "Underlining:"', to: "Single" });
  assertEquals(late.error, 'the program of "Notes" does not answer');
  const missed = await post("/api/element/click", { element: 'button "Save"' });
  assertEquals([missed.status, missed.error], [409, 'the program of "Notes" does not answer']);
});

Deno.test("a caller that left ends the reading of a busy program", async () => {
  const { desktop, api } = form(), leaving = new AbortController();
  desktop.parts = Array(500).fill(2);
  const query = { role: "button", name: "Save", window: {} };
  const finding = findElement(api.operator, query, leaving.signal);
  finding.catch(() => {}); // awaited below
  await until(() => desktop.parts.length < 498);
  leaving.abort(new Error("the caller has left"));
  await assertRejects(() => finding, Error, "the caller has left");
});

/** Calls that end when a person stops agents or a link expires, and the last input event before that. */
const STOPPED: [
  what: string,
  reason: Error,
  event: string,
  run: (to: Operator, s: AbortSignal) => unknown,
][] = [
  [
    "a click does not press",
    new StateError("a person is using the desktop"),
    "(25,25)",
    (operator, signal) =>
      clickChecked(operator, { ...BUTTON, name: "Save as" }, { button: "left", count: 1, signal }),
  ],
  [
    "a radio button does not count as checked",
    new StateError("a person is using the desktop"),
    "-left",
    (operator, signal) =>
      clickChecked(operator, { role: "radio", window: {} }, { button: "left", count: 1, signal }),
  ],
  [
    "an element does not count as gone",
    new NotFoundError("this link has expired"),
    "",
    (operator, signal) => waitForElement(operator, { ...BUTTON, gone: true }, 60_000, signal),
  ],
];

for (const [what, reason, event, run] of STOPPED) {
  Deno.test(`${what} if the call is stopped while its program is asked`, async () => {
    const { desktop, api } = form(), stopping = new AbortController(), { elements } = desktop;
    const { read, reread } = elements, isTime = () => (short(desktop.log).at(-1) ?? "") === event;
    const stop = () => {
      stopping.abort(reason);
      return Promise.reject(reason);
    };
    desktop.made.push({ key: "r", role: "radio", name: "Small", depth: 2, place });
    elements.read = (...args) => !event && isTime() ? stop() : read(...args);
    elements.reread = (...args) => isTime() ? stop() : reread(...args);
    await assertRejects(async () => await run(api.operator, stopping.signal), Error, reason.message);
    assertEquals(short(desktop.log).at(-1) ?? "", event);
  });
}

Deno.test("a list that does not open is not taken for an empty one, and no Escape follows", async () => {
  const { desktop, api, post } = form();
  const box = { key: "c", role: "combobox", name: "Case:", depth: 2, states: ["hidden"] as const };
  desktop.made.splice(1, 0, box, { key: "o", role: "togglebutton", depth: 2, place });
  const { error } = await post("/api/element/set", { element: 'combobox "Case:"', to: "Title" });
  assertMatch(error, /did not show its options in time/);
  const keys = await (await api.request("GET", "/api/history")).text();
  assert(!keys.toLowerCase().includes("escape"), keys);
});
