/** The table of keys and the reading of combinations. */

import { assertEquals, assertThrows } from "@std/assert";
import { canonicalKey, KEYS, parseCombination } from "../../control/desktop/keys.ts";
import { InputError } from "../../core/errors.ts";

const COMBINATIONS: [text: string, keys: string[]][] = [
  ["a", ["a"]],
  ["A", ["A"]],
  ["é", ["é"]],
  ["😀", ["😀"]],
  ["F5", ["f5"]],
  ["Return", ["enter"]],
  ["ctrl+shift+t", ["ctrl", "shift", "t"]],
  ["Ctrl+Shift+T", ["ctrl", "shift", "t"]],
  ["control+alt+Delete", ["ctrl", "alt", "delete"]],
  ["ctrl + c", ["ctrl", "c"]],
  ["+", ["+"]],
  ["plus", ["+"]],
  ["ctrl++", ["ctrl", "+"]],
  ["ctrl+plus", ["ctrl", "+"]],
  ["ctrl+minus", ["ctrl", "-"]],
  ["ctrl+-", ["ctrl", "-"]],
  ["super+Page_Up", ["super", "pageup"]],
];

Deno.test("combinations are read as people write them", () => {
  for (const [text, keys] of COMBINATIONS) assertEquals(parseCombination(text), keys, text);
});

const WRONG: [text: string, message: string][] = [
  ["", "empty part"],
  ["ctrl+", "empty part"],
  ["+a", "empty part"],
  ["ctrl++a", "empty part"],
  ["banana", 'unknown key "banana"'],
  ["ctrl+bananas", 'unknown key "bananas"'],
  ["\u0007", "unknown key"],
  ["ctrl+ctrl", 'names "ctrl" twice'],
  ["ctrl+control", 'names "ctrl" twice'],
];

Deno.test("what is no combination is refused by name", () => {
  for (const [text, message] of WRONG) assertThrows(() => parseCombination(text), InputError, message, text);
});

Deno.test("function keys go from f1 to f24, in X11's and in Windows' order", () => {
  const functionKeys = KEYS.filter(({ name }) => /^f\d+$/.test(name));
  assertEquals(functionKeys.map(({ name }) => name), Array.from({ length: 24 }, (_, i) => `f${i + 1}`));
  // XK_F1 and XK_F24 (keysymdef.h), VK_F1 and VK_F24 (winuser.h)
  assertEquals([functionKeys[0].keysym, functionKeys[23].keysym], [0xffbe, 0xffd5]);
  assertEquals([functionKeys[0].vk, functionKeys[23].vk], [0x70, 0x87]);
});

Deno.test("no two keys share a name", () => {
  const names = KEYS.flatMap(({ name, aliases }) => [name, ...aliases]);
  assertEquals(names.filter((name, i) => names.indexOf(name) !== i), []);
  for (const { name } of KEYS) assertEquals(canonicalKey(name.toUpperCase()), name);
});

/** Names as xdotool, PyAutoGUI and nut.js write them. */
const FOREIGN: [name: string, key: string][] = [
  ["slash", "/"],
  ["Slash", "/"],
  ["bracketleft", "["],
  ["LeftBracket", "["],
  ["eacute", "é"],
  ["Eacute", "É"],
  ["EuroSign", "€"],
  ["U20AC", "€"],
  ["U+1F600", "😀"],
  ["grave", "`"],
  ["apostrophe", "'"],
  ["multiply", "×"],
  ["KP_Multiply", "kpmultiply"],
  ["KP_0", "kp0"],
  ["num0", "kp0"],
  ["Num0", "0"],
  ["NumPad0", "kp0"],
  ["ctrlleft", "ctrl"],
  ["LeftControl", "ctrl"],
  ["altright", "rightalt"],
  ["winleft", "super"],
  ["Meta_L", "super"],
  ["prtsc", "printscreen"],
  ["Sys_Req", "printscreen"],
  ["AudioMute", "volumemute"],
  ["Prior", "pageup"],
  ["Return", "enter"],
];
for (const [name, key] of FOREIGN) {
  Deno.test(`the key name ${name} means ${key}`, () => {
    assertEquals(canonicalKey(name), key);
  });
}

Deno.test("a name that differs in case alone from another character's is taken as it is written", () => {
  assertEquals(["agrave", "Agrave", "AGRAVE", "thorn", "THORN", "eth", "ETH"].map(canonicalKey), [
    "à",
    "À",
    undefined,
    "þ",
    "Þ",
    "ð",
    "Ð",
  ]);
  assertEquals(["U0007", "U110000", "U202E", "Udead"].map(canonicalKey), [
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assertEquals(parseCombination("ctrl+slash"), ["ctrl", "/"]);
});
