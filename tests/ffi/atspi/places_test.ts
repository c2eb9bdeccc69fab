/** Places of elements on the desktop, for each kind of desktop and toolkit. */

import { assertEquals } from "@std/assert";
import { placeMap, toolkitOf } from "../../../ffi/atspi/places.ts";
import { has, roleIn, roleName, statesOf } from "../../../ffi/atspi/roles.ts";

const region = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });
const BUTTON = region(10, 20, 30, 40);

const SCREEN = { isRelative: false, scale: 1 }, RELATIVE = { isRelative: true, scale: 1 };

/** Cases: the known facts, the window, its element, and the button's place; undefined if no place is known. */
const PLACES: [string, typeof SCREEN, typeof BUTTON, typeof BUTTON, typeof BUTTON | undefined][] = [
  ["pixels of the screen", SCREEN, region(5, 5, 400, 300), region(5, 5, 400, 300), BUTTON],
  [
    "pixels of the screen in a framed window",
    SCREEN,
    region(4, 0, 402, 321),
    region(5, 20, 400, 300),
    BUTTON,
  ],
  [
    "halved pixels of the screen",
    SCREEN,
    region(0, 0, 800, 600),
    region(0, 0, 400, 300),
    region(20, 40, 60, 80),
  ],
  [
    "a window that was just moved",
    SCREEN,
    region(500, 300, 402, 321),
    region(5, 20, 400, 300),
    region(506, 320, 30, 40),
  ],
  [
    "a window without a frame",
    RELATIVE,
    region(100, 50, 400, 300),
    region(0, 0, 400, 300),
    region(110, 70, 30, 40),
  ],
  [
    "a window with a frame",
    RELATIVE,
    region(100, 50, 402, 321),
    region(0, 0, 400, 300),
    region(111, 90, 30, 40),
  ],
  ["a shadow", RELATIVE, region(100, 50, 400, 300), region(26, 23, 400, 300), region(84, 47, 30, 40)],
  [
    "a scaled window",
    RELATIVE,
    region(100, 50, 800, 600),
    region(0, 0, 400, 300),
    region(120, 90, 60, 80),
  ],
  [
    "a desktop scaled by half",
    { isRelative: true, scale: 1.5 },
    region(90, 60, 600, 450),
    region(0, 0, 400, 300),
    region(105, 90, 45, 60),
  ],
  [
    "a program that does not scale on a scaled desktop",
    { isRelative: true, scale: 2 },
    region(90, 60, 400, 300),
    region(0, 0, 400, 300),
    region(100, 80, 30, 40),
  ],
  [
    "an element that is not the window's",
    RELATIVE,
    region(0, 0, 400, 300),
    region(0, 0, 900, 700),
    undefined,
  ],
  ["an element without a size", SCREEN, region(0, 0, 400, 300), region(0, 0, 0, 0), undefined],
];

for (const [what, facts, window, root, expected] of PLACES) {
  Deno.test(`places of ${what} lead to the screen, or are none`, () => {
    assertEquals(placeMap({ ...facts, window, root })?.(BUTTON), expected);
  });
}

/** Toolkit, version, a name as its program gives it, and as a person reads it. */
const NAMES: [string, string, string, string][] = [
  ["gtk", "4.8.3", "GtkMenuButton", ""],
  ["gtk", "4.8.3", "4 4", "4"],
  ["gtk", "4.8.3", "Save", "Save"],
  ["gtk", "3.24.38", "New   ", "New"],
  ["gtk", "3.24.38", "GtkMenuButton", "GtkMenuButton"],
  ["Chromium", "156", "a\ufffcb", "ab"],
];

for (const [toolkit, version, name, expected] of NAMES) {
  Deno.test(`${toolkit} ${version} means ${JSON.stringify(expected)} by ${JSON.stringify(name)}`, () => {
    assertEquals(toolkitOf(toolkit, version).name(name), expected);
  });
}

Deno.test("roles and states have their numbers of AT-SPI", () => {
  assertEquals([7, 11, 40, 43, 44, 61, 999].map(roleName), [
    "checkbox",
    "combobox",
    "password",
    "button",
    "radio",
    "text",
    "unknown",
  ]);
  const set = (...bits: number[]) =>
    bits.reduce(([low, high], bit) => bit < 32 ? [low | 1 << bit, high] : [low, high | 1 << bit - 32], [
      0,
      0,
    ]);
  assertEquals(roleIn("text", set(7)), "textbox");
  assertEquals([has(set(43), "readOnly"), has(set(43), "checked"), has([], "checked")], [true, false, false]);
  const usable = ["sensitive", "enabled"] as const;
  assertEquals(statesOf(set(8, 24, 4, 9), true, usable), ["checked", "collapsed"]);
  assertEquals(statesOf(set(), false, usable), ["disabled", "hidden"]);
  assertEquals(statesOf(set(24), true, ["sensitive"]), []); // GTK 4.8 never says that an element is enabled
});
