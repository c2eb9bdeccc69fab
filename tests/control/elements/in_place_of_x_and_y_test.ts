/** An element instead of x and y: where actions and tools accept it, and how it is written. */

import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { elementIn } from "../../../control/actions/element_fields.ts";
import { elementsText, type ShownElement } from "../../../control/elements/text.ts";
import { InputError } from "../../../core/errors.ts";
import { call, wordsOf } from "../../support/agent_tools.ts";
import { controlApi } from "../../support/control.ts";
import { ElementsDesktop } from "../../support/elements.ts";
import { short } from "../../support/shell.ts";

const button = (name: string, x: number) => ({ key: name, name, place: { x, y: 20, width: 30, height: 10 } });

function form() {
  const desktop = new ElementsDesktop([button("Save", 10), button("Open", 110), {
    ...button("Off", 210),
    states: ["disabled"] as const,
  }, { key: "none", name: "Nowhere" }]);
  const api = controlApi({ desktop });
  return {
    desktop,
    api,
    async ask(method: string, path: string, body?: unknown) {
      const answer = await api.request(method, path, body);
      return { status: answer.status, ...await answer.json() };
    },
  };
}

/** Words for an element, and their meaning. */
const WORDS: [words: string, meaning: ReturnType<typeof elementIn>][] = [
  ["e12", { element: "e12", window: {} }],
  ['button "Save"', { role: "button", name: "Save", window: {} }],
  ['"Save as"', { name: "Save as", window: {} }],
  ["desktop icon", { role: "desktop icon", window: {} }],
  ['button "Save" 2 in "Ask"', { role: "button", name: "Save", nth: 2, window: { title: "Ask" } }],
  ['"a \\"b\\" \\\\" in "c"', { name: 'a "b" \\', window: { title: "c" } }],
];

for (const [words, meaning] of WORDS) {
  Deno.test(`the words ${words} mean one element`, () => assertEquals(elementIn(words), meaning));
}

Deno.test("words that mean no element are refused", () => {
  for (const words of ["", "E12", 'button "Save', '"a" "b"', "e0", "button in Ask"]) {
    assertThrows(() => elementIn(words), InputError, "element must have a form such as e12", words);
  }
});

/** Requests with an element instead of coordinates, and the input that the desktop receives. */
const REQUESTS: [path: string, body: Record<string, unknown>, log: string[]][] = [
  ["/api/move", { element: '"Save"' }, ["(25,25)"]],
  ["/api/click", { element: "e2" }, ["(125,25)", "+left", "-left"]],
  ["/api/click", { element: '"Open"', button: "right", hold: "ctrl" }, [
    "(125,25)",
    "+ctrl",
    "+right",
    "-right",
    "-ctrl",
  ]],
  ["/api/scroll", { direction: "down", amount: 2, element: "e1" }, ["(25,25)", "down 2"]],
  ["/api/press", { button: "left", element: "e1" }, ["(25,25)", "+left"]],
  ["/api/release", { button: "left", element: "e1" }, ["(25,25)", "-left"]],
];

for (const [path, body, log] of REQUESTS) {
  Deno.test(`${path} accepts ${JSON.stringify(body)}`, async () => {
    const { ask, desktop } = form();
    await ask("GET", "/api/elements");
    const { status, error } = await ask("POST", path, body);
    assertEquals([status, error], [200, undefined]);
    assertEquals(short(desktop.log), log);
  });
}

Deno.test("a drag accepts an element at either end", async () => {
  const { ask, desktop } = form();
  assertEquals(
    (await ask("POST", "/api/drag", { from: { element: '"Save"' }, to: { x: 300, y: 200 } })).status,
    200,
  );
  assertEquals(
    (await ask("POST", "/api/drag", { from: { x: 1, y: 2 }, to: { element: '"Open"' } })).status,
    200,
  );
  const all = short(desktop.log), down = all.indexOf("+left"), second = all.lastIndexOf("+left");
  assertEquals([all[down - 1], all[second - 1], all.at(-2)], ["(25,25)", "(1,2)", "(125,25)"]);
});

Deno.test("pixel and screenshot use an element's position", async () => {
  const { ask, api, desktop } = form();
  assertMatch((await ask("GET", "/api/pixel?element=%22Save%22")).hex, /^#[0-9a-f]{6}$/);
  const picture = await (await api.request("GET", "/api/screenshot?element=%22Open%22")).bytes();
  const view = new DataView(picture.buffer);
  assertEquals([view.getInt32(18, true), Math.abs(view.getInt32(22, true))], [30, 10]);
  assertEquals(desktop.log, []);
});

/** Requests that are refused, with their status and message. */
const REFUSED: [path: string, body: Record<string, unknown>, status: number, message: RegExp][] = [
  ["/api/move", { element: "e1", x: 1, y: 1 }, 400, /^element and x cannot both be given$/],
  ["/api/click", { element: "e1", at: "pointer" }, 400, /^element and at cannot both be given$/],
  ["/api/click", { x: 1, y: 2 }, 400, /^Missing button$/],
  ["/api/move", {}, 400, /^Missing x$/],
  [
    "/api/move",
    { element: '"Sava"' },
    404,
    /^there is no element "Sava" in "Notes"; near: button "Save" \(e\d+\)/,
  ],
  ["/api/click", { element: '"Off"' }, 409, /is disabled$/],
  ["/api/click", { element: '"Nowhere"' }, 409, /^button "Nowhere" \(e\d+\) has no place$/],
  ["/api/scroll", { direction: "up", amount: 1, element: '"Nowhere"' }, 409, /is not on the screen$/],
];

for (const [path, body, status, message] of REFUSED) {
  Deno.test(`${path} refuses ${JSON.stringify(body)} with ${status}`, async () => {
    const { ask, desktop } = form();
    const answer = await ask("POST", path, body);
    assertEquals(answer.status, status, answer.error);
    assertMatch(answer.error, message);
    assertEquals(desktop.log, []);
  });
}

Deno.test("an agent scrolls, presses and waits by elements, also in steps", async () => {
  const { api, desktop } = form();
  await call(api, "elements");
  assertMatch(
    wordsOf(await call(api, "scroll", { direction: "down", element: "e1" })),
    /^scrolled down by 3/,
  );
  assertMatch(
    wordsOf(await call(api, "click", { element: 'button "Open"' })),
    /^clicked: button "Open" \(e2\)/,
  );
  const waited = wordsOf(await call(api, "wait", { element: { role: "button", name: "Save" } }));
  assertMatch(waited, /after \d+ ms: button "Save" \(e1\)/);
  const before = desktop.log.length;
  const actions = [{ tool: "press", element: '"Save"' }, { tool: "release" }, {
    tool: "scroll",
    direction: "up",
    element: "e2",
  }];
  assertMatch(wordsOf(await call(api, "do", { actions, look: false })), /^1\. pressed button left\n/);
  assertEquals(short(desktop.log.slice(before)), ["(25,25)", "+left", "-left", "(125,25)", "up 3"]);
});

// Lines of elements: elements without use for a reader of text are omitted, and similar ones share a line.

let last = 0;
/** An element at its own position, like a table row. */
function element(depth: number, role: string, name = "", more: Partial<ShownElement> = {}): ShownElement {
  last++;
  return { ref: `e${last}`, role, name, states: [], depth, x: 10 * last, y: 0, width: 0, height: 0, ...more };
}
const NOWHERE = { x: undefined, y: undefined };

/** The lines below the heading of a window with the title "Notes". */
function linesOf(elements: (() => ShownElement)[], preferences = {}, places = "screen"): string[] {
  last = 0;
  const shown = { window: { title: "Notes" }, places, elements: elements.map((make) => make()), more: 0 };
  return elementsText(shown, preferences).split("\n").slice(1);
}

const MENUS = [
  () => element(0, "frame", "Notes"),
  () => element(1, "menubar"),
  () => element(2, "menu", "File"),
  () => element(3, "menuitem", "Open", NOWHERE),
  () => element(3, "menuitem", "Quit", NOWHERE),
  () => element(2, "button", "Save", { states: ["disabled"] }),
];

const CASES: [what: string, elements: (() => ShownElement)[], lines: string[]][] = [
  ["title elements, containers and closed menus' items are omitted, and children move up", MENUS, [
    'e3 menu "File" @30,0',
    'e6 button "Save" disabled @60,0',
    "… 2 more: ask by role or name",
  ]],
  ["an element in one without a position is shown", [
    () => element(0, "dialog", "Ask"),
    () => element(1, "group", "Size", NOWHERE),
    () => element(2, "slider", "", { value: "5" }),
  ], ['e1 dialog "Ask" @10,0', '  e3 slider = "5" @30,0', "… 1 more: ask by role or name"]],
  ["a nameless element that its child covers is omitted, but not a button around an image", [
    () => element(0, "button", "", { x: 5 }),
    () => element(1, "button", "Menu", { x: 5 }),
    () => element(0, "button", "", { x: 7 }),
    () => element(1, "icon", "cross", { x: 7 }),
    () => element(0, "button", "", { x: 9, states: ["focused"] }),
    () => element(1, "button", "Open", { x: 9 }),
  ], [
    'e2 button "Menu" @5,0',
    "e3 button @7,0",
    '  e4 icon "cross" @7,0',
    "e5 button focused @9,0",
    '  e6 button "Open" @9,0',
  ]],
  ["four of one role share a line, except one that contains others", [
    ...["7", "8", "9"].map((name) => () => element(0, "button", name)),
    () => element(0, "button", "√", { states: ["disabled"] }),
    () => element(0, "button", "more"),
    () => element(1, "link", "help"),
    ...["1", "2", "3"].map((name) => () => element(0, "checkbox", name)),
    () => element(0, "checkbox", "", {}),
  ], [
    'button: e1 "7" e2 "8" e3 "9" e4 "√" disabled',
    'e5 button "more" @50,0',
    '  e6 link "help" @60,0',
    'checkbox: e7 "1" e8 "2" e9 "3" e10 @100,0',
  ]],
  ["three of one role have a line each", [
    ...["1", "2", "3"].map((name) => () => element(0, "checkbox", name)),
    () => element(0, "radio", "4"),
  ], [
    'e1 checkbox "1" @10,0',
    'e2 checkbox "2" @20,0',
    'e3 checkbox "3" @30,0',
    'e4 radio "4" @40,0',
  ]],
  ["fields with values have a line each, and line feeds are escaped", [
    ...["a", "b", "c", "d"].map((name) => () => element(0, "textbox", name, { value: "1\n2" })),
  ], ["a", "b", "c", "d"].map((name, i) => `e${i + 1} textbox "${name}" = "1\\n2" @${10 * i + 10},0`)],
];

for (const [what, elements, lines] of CASES) Deno.test(what, () => assertEquals(linesOf(elements), lines));

Deno.test("elements queried by role or name have a line each, with their positions", () => {
  assertEquals(linesOf(MENUS, { isAsked: true }), [
    'e1 frame "Notes" @10,0',
    "  e2 menubar @20,0",
    '    e3 menu "File" @30,0',
    '      e4 menuitem "Open"',
    '      e5 menuitem "Quit"',
    '    e6 button "Save" disabled @60,0',
  ]);
});

Deno.test("a window without known positions shows every element that has a name", () => {
  const elements = MENUS.map((make) => () => ({ ...make(), ...NOWHERE }));
  assertEquals(linesOf(elements, {}, "none"), [
    'e3 menu "File"',
    '  e4 menuitem "Open"',
    '  e5 menuitem "Quit"',
    'e6 button "Save" disabled',
  ]);
});

Deno.test("a limit counts elements that are shown", () => {
  assertEquals(linesOf(MENUS, { limit: 1 }), [
    'e3 menu "File" @30,0',
    "… 3 more: ask by role or name (1 button)",
  ]);
});
