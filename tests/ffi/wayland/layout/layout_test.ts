import { assert, assertEquals } from "@std/assert";
import { hasSymbols, readLayout } from "../../../../ffi/wayland/layout/layout.ts";
import { OPTION_KEYS } from "../../../../ffi/wayland/layout/option_keys.ts";
import { mapOf } from "./maps.ts";

const SHIFT = 42, ALTGR = 100;

/** Layouts, which of them is active, a character, and the keys for it; undefined where none types it. */
const CHARACTERS: [
  layouts: string,
  group: number,
  character: string,
  code?: number,
  ...modifiers: number[],
][] = [
  ["us", 0, "a", 30],
  ["us", 0, "A", 30, SHIFT],
  ["us", 0, "y", 21],
  ["us", 0, "(", 10, SHIFT],
  ["us", 0, "1", 2],
  ["us", 0, " ", 57],
  ["us", 0, "é"],
  ["us", 0, "€"],
  ["us", 0, "漢"],
  ["us", 0, "±"], // a rare key has it, which the option may take
  ["de", 0, "y", 44],
  ["de", 0, "ä", 40],
  ["de", 0, "Ä", 40, SHIFT],
  ["de", 0, "@", 16, ALTGR],
  ["de", 0, "€", 18, ALTGR],
  ["de", 0, "¿", 12, SHIFT, ALTGR],
  ["de", 0, "<", 86],
  ["de", 0, "`"], // a dead key alone
  ["us,de", 0, "ä"],
  ["us,de", 1, "ä", 40],
  ["us,ru", 1, "я", 44],
  ["us,ru", 1, "a"],
  ["ru", 0, "Я", 44, SHIFT],
  ["fr", 0, "1", 2, SHIFT],
  ["jp", 0, "_", 89, SHIFT],
  ["jp", 0, "|", 124, SHIFT],
];

for (const [layouts, group, character, code, ...modifiers] of CHARACTERS) {
  const how = code === undefined ? "has no key" : `is key ${[...modifiers, code].join("+")}`;
  Deno.test(`'${character}' ${how} in layout ${group} of ${layouts}`, () => {
    const layout = readLayout(mapOf(layouts), group)!;
    const stroke = layout.characters.get(character.codePointAt(0)!);
    assertEquals(stroke, code === undefined ? undefined : { code, modifiers });
  });
}

Deno.test("symbols lead to keys as the person's options have them", () => {
  const escape = 0xff1b, capsLock = 0xffe5;
  const plain = readLayout(mapOf("us"), 0)!, swapped = readLayout(mapOf("us", "caps:swapescape"), 0)!;
  assertEquals(plain.symbols.get(escape)?.code, 1);
  assertEquals(swapped.symbols.get(escape)?.code, 58);
  assertEquals(swapped.symbols.get(capsLock)?.code, 1);
});

Deno.test("the option gets no key that several layouts define", () => {
  const names = (layouts: string) => new Set(readLayout(mapOf(layouts), 0)!.free.map(({ name }) => name));
  assertEquals(names("us").size, OPTION_KEYS.length);
  assertEquals(names("de,us,ru").size, OPTION_KEYS.length);
  assert(!names("us,jp").has("HKTG") && names("us,jp").has("FK13"));
});

Deno.test("a map has the symbols of keys, by whatever name of a character", () => {
  const [f13, f14] = OPTION_KEYS, map = mapOf("us");
  const xf86Tools = 0x1008ff81;
  assert(hasSymbols(map, new Map([[f13, xf86Tools]])));
  assert(!hasSymbols(map, new Map([[f13, xf86Tools], [f14, 0x10020ac]])));
  const euro = map.replace(/key <FK14>\s*\{[^}]*\}/, "key <FK14> { [ EuroSign ] }");
  assert(hasSymbols(euro, new Map([[f13, xf86Tools], [f14, 0x10020ac]])));
});

Deno.test("what is no map has no layout", () => assertEquals(readLayout("xkb_keymap {", 0), undefined));
