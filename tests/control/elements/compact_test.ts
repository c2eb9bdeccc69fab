/** Lines of elements: elements that a reader of text cannot use are left out, and those that are alike share a line. */

import { assertEquals } from "@std/assert";
import type { ShownElement } from "../../../control/elements/shown.ts";
import { elementsText } from "../../../control/elements/text.ts";

let last = 0;
/** An element at a place of its own, as a row of a table. */
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
  ["the title's element, holders and items of closed menus are left out, and children move up", MENUS, [
    'e3 menu "File" @30,0',
    'e6 button "Save" disabled @60,0',
    "… 2 more: ask by role or name",
  ]],
  ["an element in one without a place is shown", [
    () => element(0, "dialog", "Ask"),
    () => element(1, "group", "Size", NOWHERE),
    () => element(2, "slider", "", { value: "5" }),
  ], ['e1 dialog "Ask" @10,0', '  e3 slider = "5" @30,0', "… 1 more: ask by role or name"]],
  ["a nameless element at the place of the one in it is left out, but no button around a picture", [
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
  ["four of one role share a line, and one that holds others does not", [
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
  ["three of one role have lines of their own", [
    ...["1", "2", "3"].map((name) => () => element(0, "checkbox", name)),
    () => element(0, "radio", "4"),
  ], [
    'e1 checkbox "1" @10,0',
    'e2 checkbox "2" @20,0',
    'e3 checkbox "3" @30,0',
    'e4 radio "4" @40,0',
  ]],
  ["fields with values have lines of their own, and line feeds are escaped", [
    ...["a", "b", "c", "d"].map((name) => () => element(0, "textbox", name, { value: "1\n2" })),
  ], ["a", "b", "c", "d"].map((name, i) => `e${i + 1} textbox "${name}" = "1\\n2" @${10 * i + 10},0`)],
];

for (const [what, elements, lines] of CASES) Deno.test(what, () => assertEquals(linesOf(elements), lines));

Deno.test("elements that were asked for by role or name have a line each, with their places", () => {
  assertEquals(linesOf(MENUS, { isAsked: true }), [
    'e1 frame "Notes" @10,0',
    "  e2 menubar @20,0",
    '    e3 menu "File" @30,0',
    '      e4 menuitem "Open"',
    '      e5 menuitem "Quit"',
    '    e6 button "Save" disabled @60,0',
  ]);
});

Deno.test("a window whose places are not known shows all that has a name", () => {
  const elements = MENUS.map((make) => () => ({ ...make(), ...NOWHERE }));
  assertEquals(linesOf(elements, {}, "none"), [
    'e3 menu "File"',
    '  e4 menuitem "Open"',
    '  e5 menuitem "Quit"',
    'e6 button "Save" disabled',
  ]);
});

Deno.test("a limit counts elements that are shown", () => {
  assertEquals(linesOf(MENUS, { limit: 1 }), ['e3 menu "File" @30,0', "… 3 more: ask by role or name"]);
});
