/** The meanings of keys while more and more is typed. */

import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { InputError } from "../../../../core/errors.ts";
import { KeyMeanings } from "../../../../ffi/wayland/wlroots/keyboard.ts";
import { type KeyPlace, partsOf, PLACES, SPARE_CODES } from "../../../../ffi/wayland/wire/keymaps.ts";

/** Different characters that a US keyboard lacks. */
function characters(count: number, from = 0x4e00): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

function placesOf(meanings: KeyMeanings, all: readonly number[]): KeyPlace[] {
  return all.map((one) => {
    const { code, group, level } = meanings.strokeOf(one, 0);
    return { code, group, level };
  });
}

Deno.test("characters of a US keyboard have the keys that they have there", () => {
  const meanings = new KeyMeanings(), before = meanings.map;
  meanings.place([..."aA!\n "].map((one) => one.codePointAt(0)!));
  assertEquals(
    [..."aA!\n "].map((one) => meanings.strokeOf(one.codePointAt(0)!, 0)).map((
      { code, level },
    ) => [code, level]),
    [[30, 0], [30, 1], [2, 1], [28, 0], [57, 0]],
  );
  assertEquals(meanings.map, before);
});

Deno.test("other characters get a key each, and keep it while others are added", () => {
  const meanings = new KeyMeanings(), first = characters(300), more = characters(PLACES.length - 300, 0x6000);
  meanings.place(first);
  const places = placesOf(meanings, first), map = meanings.map;
  meanings.place(more);
  assertNotEquals(meanings.map, map);
  assertEquals(placesOf(meanings, first), places);
  const all = [...places, ...placesOf(meanings, more)].map((place) => JSON.stringify(place));
  assertEquals(new Set(all).size, PLACES.length);
  assertEquals(meanings.readyAt, -Infinity, "no key lost a meaning");
});

Deno.test("where no place is left, the character needed longest ago loses its own, a second after it was typed", () => {
  const meanings = new KeyMeanings(), all = characters(PLACES.length), [first, second, third] = all;
  meanings.place(all);
  meanings.strokeOf(first, 9000);
  meanings.strokeOf(second, 5000);
  const [, place] = placesOf(meanings, [third, second]);
  meanings.strokeOf(second, 5000);
  meanings.place([first]);
  meanings.place([0x6000]);
  assertEquals(placesOf(meanings, [0x6000]), [place]);
  assertEquals(meanings.readyAt, 6000);
});

Deno.test("spare keys keep their symbols, and one that is not held gets another in the end", () => {
  const meanings = new KeyMeanings(),
    none = new Set<number>(),
    symbols = SPARE_CODES.map((_, i) => 0x1000100 + i);
  const codes = symbols.map((symbol, i) => meanings.spare(symbol, "it", none, i));
  assertEquals(codes, SPARE_CODES);
  assertEquals(meanings.spare(symbols[3], "it", none, 50), codes[3]);
  assertEquals(meanings.readyAt, -Infinity);
  assertThrows(() => meanings.spare(0x1000200, "the key", new Set(codes), 60), InputError, "the key");
  assertEquals(meanings.spare(0x1000200, "it", new Set([codes[0]]), 70), codes[1]);
  assertEquals(meanings.readyAt, 1001);
});

Deno.test("a text is cut where it has more different characters than there are places", () => {
  const all = characters(PLACES.length + 1), text = [...all.slice(0, -1), 0x61, ...all];
  assertEquals([...partsOf(text)], [text.slice(0, -1), text.slice(-1)]);
  assertEquals([...partsOf([0x61])], [[0x61]]);
});
