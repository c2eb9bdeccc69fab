/** The parts of a text that are typed, and the parts that are pasted. */

import { assertEquals } from "@std/assert";
import { pieces } from "../../../../ffi/wayland/layout/text_typer.ts";

/** ASCII is typed, and a line feed is a key; pasted pieces stand in brackets. */
function shown(text: string): string[] {
  const characters = Array.from(text, (character) => character.codePointAt(0)!);
  return pieces(characters, (character) => character < 128, (character) => character === 10)
    .map(({ characters, isPasted }) => {
      const piece = String.fromCodePoint(...characters);
      return isPasted ? `[${piece}]` : piece;
    });
}

const CASES: [text: string, pieces: string[]][] = [
  ["", []],
  ["plain\n", ["plain\n"]],
  ["é", ["[é]"]],
  ["echo é > file\n", ["echo ", "[é]", " > file\n"]],
  ["Привет, мир!\n", ["[Привет, мир]", "!\n"]],
  ["é\né", ["[é]", "\n", "[é]"]],
  [`é${"a".repeat(16)}é`, [`[é${"a".repeat(16)}é]`]],
  [`é${"a".repeat(17)}é`, ["[é]", "a".repeat(17), "[é]"]],
  ["é\n\n", ["[é]", "\n\n"]],
];
for (const [text, expected] of CASES) {
  Deno.test(`pieces of ${JSON.stringify(text)}`, () => assertEquals(shown(text), expected));
}
