import { assertEquals } from "@std/assert";
import { readLayout } from "../../../../ffi/wayland/layout/layout.ts";
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
  ["us", 0, "±"], // a rare key has it, which programs may not know
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

Deno.test("what is no map has no layout", () => assertEquals(readLayout("xkb_keymap {", 0), undefined));
