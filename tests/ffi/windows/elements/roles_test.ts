/** Roles and states of elements on Windows, in ARIA's words. */

import { assertEquals } from "@std/assert";
import {
  FIELDS,
  fieldText,
  msaaFlags,
  nameOf,
  placeOf,
  RANGES,
  roleOfClass,
  roleOfControlType,
  roleOfMsaa,
  statesOf,
  valueOf,
} from "../../../../ffi/windows/elements/roles.ts";

/** Control types with their numbers in UIAutomationClient.h, and their ARIA (or else AT-SPI) roles. */
const CONTROL_TYPES: readonly [type: number, role: string][] = [
  [50000, "button"],
  [50002, "checkbox"],
  [50003, "combobox"],
  [50004, "textbox"],
  [50005, "link"],
  [50006, "img"],
  [50007, "listitem"],
  [50008, "list"],
  [50009, "menu"],
  [50010, "menubar"],
  [50011, "menuitem"],
  [50012, "progressbar"],
  [50013, "radio"],
  [50015, "slider"],
  [50016, "spinbutton"],
  [50018, "tablist"],
  [50019, "tab"],
  [50020, "label"],
  [50023, "tree"],
  [50024, "treeitem"],
  [50030, "document"],
  [50031, "button"],
  [50032, "frame"],
  [50035, "columnheader"],
];

Deno.test("control types have ARIA roles", () => {
  for (const [type, role] of CONTROL_TYPES) assertEquals(roleOfControlType(type), role, String(type));
  assertEquals([roleOfControlType(50025), roleOfControlType(1)], ["unknown", "unknown"]);
  const all = Array.from({ length: 41 }, (_, i) => roleOfControlType(50000 + i));
  // Custom and thumb have no role.
  assertEquals(all.filter((role) => role === "unknown").length, 2);
});

Deno.test("a page's own role counts if the control type is vague", () => {
  assertEquals(roleOfControlType(50026, "heading"), "heading");
  assertEquals(roleOfControlType(50025, " Switch other"), "switch");
  assertEquals(roleOfControlType(50020, "nonsense"), "label");
  assertEquals(roleOfControlType(50000, "heading"), "button");
  assertEquals(roleOfControlType(50025, "constructor"), "unknown");
});

Deno.test("MSAA roles match those of control types", () => {
  const roles: [number, string][] = [
    [0x0c, "menuitem"],
    [0x21, "list"],
    [0x22, "listitem"],
    [0x25, "tab"],
    [0x29, "label"],
    [0x2a, "textbox"],
    [0x2b, "button"],
    [0x2c, "checkbox"],
    [0x2d, "radio"],
    [0x2e, "combobox"],
    [0x33, "slider"],
  ];
  for (const [number, role] of roles) assertEquals(roleOfMsaa(number), role, String(number));
  assertEquals(roleOfMsaa(0xffff), "unknown");
});

Deno.test("controls have roles by class and style", () => {
  const roles: [name: string, style: number, role: string | undefined][] = [
    ["Button", 0x50010000, "button"],
    ["BUTTON", 0x50010001, "button"], // the default button
    ["Button", 0x50010003, "checkbox"],
    ["Button", 0x50010006, "checkbox"],
    ["Button", 0x50010009, "radio"],
    ["Button", 0x50010007, "group"],
    ["Static", 0, "label"],
    ["Static", 0x0e, "img"],
    ["Edit", 0, "textbox"],
    ["RICHEDIT50W", 0, "textbox"],
    ["SysListView32", 0, "list"],
    ["msctls_trackbar32", 0, "slider"],
    ["MyOwnControl", 0, undefined],
    ["constructor", 0, undefined],
  ];
  for (const [name, style, role] of roles) assertEquals(roleOfClass(name, style), role, `${name} ${style}`);
});

Deno.test("MSAA states are ARIA's, in its order", () => {
  assertEquals(statesOf("checkbox", msaaFlags(0x10 | 0x4)), ["focused", "checked"]);
  assertEquals(statesOf("button", msaaFlags(0x10 | 0x8 | 0x1)), ["disabled", "pressed"]);
  assertEquals(statesOf("radio", { isSelected: true }), ["checked"]);
  assertEquals(statesOf("listitem", msaaFlags(0x2 | 0x400 | 0x10000)), ["selected", "collapsed", "hidden"]);
  assertEquals(statesOf("togglebutton", { isOn: true, isMixed: true }), ["mixed", "pressed"]);
  assertEquals(statesOf("textbox", msaaFlags(0x40 | 0x8000)), ["readonly", "hidden"]);
  assertEquals([FIELDS.has("password"), RANGES.has("slider")], [false, true]);
});

Deno.test("converts texts and positions to deskhand's form", () => {
  assertEquals(valueOf("a\r\nb\rc\n\ufffc"), "a\nb\nc\n");
  assertEquals(fieldText("a\nb\r\nc"), "a\r\nb\r\nc");
  assertEquals(nameOf(" Save\ufffc "), "Save");
  assertEquals(nameOf("x".repeat(3000)).length, 2000);
  assertEquals(placeOf([-800.4, 2, 30.5, 1]), { x: -800, y: 2, width: 31, height: 1 });
  for (const none of [undefined, [], [1, 2, 0, 4], [1, 2, 3, -1], [NaN, 1, 1, 1], [0, 0, Infinity, 1]]) {
    assertEquals(placeOf(none), undefined);
  }
});
