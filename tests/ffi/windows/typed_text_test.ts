import { assertEquals, assertThrows } from "@std/assert";
import { InputError } from "../../../core/errors.ts";
import { type TypedCharacter, typedCharacters } from "../../../ffi/windows/keyboard.ts";

const ENTER = { vk: 0x0d };
const TAB = { vk: 0x09 };

Deno.test("a text is typed character by character, with Enter and the like as keys", () => {
  const cases: [text: string, expected: TypedCharacter[]][] = [
    ["", []],
    ["aé", [{ units: [0x61] }, { units: [0xe9] }]],
    ["€漢", [{ units: [0x20ac] }, { units: [0x6f22] }]],
    ["😀", [{ units: [0xd83d, 0xde00] }]],
    ["\n\t", [ENTER, TAB]],
    ["\r\n\r\n", [ENTER, ENTER]],
    ["\r", [ENTER]],
    ["\b\x1b", [{ vk: 0x08 }, { vk: 0x1b }]],
    ["e\u0301", [{ units: [0x65] }, { units: [0x301] }]],
    ["👩\u200d👧", [{ units: [0xd83d, 0xdc69] }, { units: [0x200d] }, { units: [0xd83d, 0xdc67] }]],
  ];
  for (const [text, expected] of cases) assertEquals(typedCharacters(text), expected, JSON.stringify(text));
});

Deno.test("a code point that is no character is refused by its number", () => {
  for (
    const [text, name] of [
      ["a\0", "U+0000"],
      ["x\ud83d", "U+D83D"],
      ["\x7f", "U+007F"],
      ["\u0378", "U+0378"],
      ["\uffff", "U+FFFF"],
    ]
  ) {
    assertThrows(() => typedCharacters(text), InputError, name);
  }
});
