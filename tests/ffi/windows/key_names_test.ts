import { assertEquals } from "@std/assert";
import { canonicalKey, KEYS } from "../../../control/desktop/keys.ts";
import { type LayoutLookup, nameOfKey, vkName, vkOfName } from "../../../ffi/windows/keyboard.ts";

/** A keyboard on which 0x41 types a, 0xbf types /, 0xdd is a dead key, and 0xe2 types what 0x41 types already. */
const LAYOUT: LayoutLookup = {
  unshifted: (vk) => ({ 0x41: "a", 0xbf: "/", 0xe2: "a", 0x92: "\x1b" })[vk],
  typed: () => undefined,
  keyFor: (character) => {
    const vk = ({ a: 0x41, "/": 0xbf } as Record<string, number>)[character];
    return vk === undefined ? undefined : { vk, modifiers: [] };
  },
};

Deno.test("a key is named so that pressing the name presses that key", () => {
  const cases: [vk: number, extended: boolean, name: string][] = [
    [0x41, false, "a"],
    [0xbf, false, "/"],
    [0x0d, false, "enter"],
    [0x0d, true, "kpenter"],
    [0x24, true, "home"],
    [0x24, false, "kphome"],
    [0x20, false, "space"],
    [0xa1, false, "rightshift"], // hooks do not always mark it as extended
    [0xa5, true, "rightalt"],
    [0x10, false, "shift"],
    [0x11, false, "ctrl"],
    [0x12, false, "alt"],
    [0x70, false, "f1"],
    [0xdd, false, "vk:0xdd"], // a dead key
    [0xe2, false, "vk:0xe2"], // another key types that character
    [0x92, false, "vk:0x92"], // a control character is no name
    [0x07, false, "vk:0x07"],
  ];
  for (const [vk, extended, name] of cases) {
    assertEquals(nameOfKey(vk, extended, LAYOUT), name);
    assertEquals(canonicalKey(name), name);
  }
});

Deno.test("every named key that Windows has comes back as itself or as another name of the same key", () => {
  for (const key of KEYS.filter(({ vk }) => vk !== 0)) {
    const name = nameOfKey(key.vk, key.extended, LAYOUT);
    const named = KEYS.find((other) => other.name === name)!;
    assertEquals([named.vk, named.extended], [key.vk, key.extended], key.name);
  }
});

Deno.test("names made of codes are read back as those codes, other names are not", () => {
  for (let vk = 1; vk <= 254; vk++) assertEquals(vkOfName(vkName(vk)), vk);
  for (const name of ["vk:0x00", "vk:0xff", "vk:0x1", "vk:0x100", "vk:65", "a", "keysym:0x41", ""]) {
    assertEquals(vkOfName(name), undefined, name);
  }
  assertEquals(canonicalKey("VK:0xE2"), "vk:0xe2");
  assertEquals(canonicalKey("vk:0x1"), undefined);
});
