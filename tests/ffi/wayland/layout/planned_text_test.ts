import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { charactersOf } from "../../../../ffi/text.ts";
import { OPTION_KEYS, type OptionKey } from "../../../../ffi/wayland/layout/option_keys.ts";
import { planText, type TypedPart } from "../../../../ffi/wayland/layout/planned_text.ts";

const ASCII = (character: number) => character >= 0x20 && character < 0x7f;

function plan(
  text: string,
  capacity: number,
  present: ReadonlyMap<OptionKey, number> = new Map(),
): TypedPart[] {
  return planText(charactersOf(text), ASCII, { free: OPTION_KEYS.slice(0, capacity), present })!;
}

/** Parts as text: `characters|those that keys have`. */
function shown(parts: TypedPart[]): string[] {
  return parts.map(({ characters, symbols }) =>
    String.fromCodePoint(...characters) + "|" +
    [...symbols ?? []].map(([, symbol]) => String.fromCodePoint(symbol & 0xffffff)).join("")
  );
}

/** A text, the number of keys, and its parts. */
const PLANS: [text: string, capacity: number, parts: string[]][] = [
  ["Abc\t1\n", 2, ["Abc\t1\n|"]],
  ["Abc", 0, ["Abc|"]],
  ["", 2, ["|"]],
  ["héllo", 2, ["héllo|é"]],
  ["é€é€", 2, ["é€é€|é€"]],
  ["é€漢x漢é", 2, ["é€|é€", "漢x漢é|é漢"]],
  ["一二三四五", 2, ["一二|一二", "三四|三四", "五|五四"]],
];

for (const [text, capacity, parts] of PLANS) {
  Deno.test(`${JSON.stringify(text)} with ${capacity} keys is typed as ${parts.join(", ")}`, () => {
    assertEquals(shown(plan(text, capacity)), parts);
  });
}

Deno.test("characters that keys have from the text before need no change, and keep their keys when others come", () => {
  const [{ symbols: before }] = plan("äö", 4);
  assertEquals(plan("Köö ä", 4, before)[0].symbols, undefined);
  const [{ symbols: after }] = plan("äé", 4, before);
  assertEquals([...after!].map(([{ name }, symbol]) => `${name} ${String.fromCodePoint(symbol)}`), [
    "FK13 ä",
    "FK14 ö",
    "FK15 é",
  ]);
});

Deno.test("a text that needs the option has no plan without keys", () => {
  assertStrictEquals(planText(charactersOf("é"), ASCII, { free: [], present: new Map() }), undefined);
});

Deno.test("300 different characters need as few changes as the keys allow", () => {
  const text = Array.from({ length: 300 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join("");
  const parts = plan(text, OPTION_KEYS.length);
  assertEquals(parts.length, Math.ceil(300 / OPTION_KEYS.length));
  assertEquals(parts.flatMap(({ characters }) => characters), charactersOf(text));
  for (const { characters, symbols } of parts) {
    assert(symbols!.size <= OPTION_KEYS.length);
    const has = new Set(symbols!.values());
    assert(characters.every((character) => has.has(0x1000000 + character)));
  }
});
