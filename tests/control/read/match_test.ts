/** Comparisons of texts that were read with the wanted one. */

import { assertEquals } from "@std/assert";
import { agreement, folded } from "../../../control/read/spans.ts";

Deno.test("texts are compared without case, spaces, widths and marks of letters", () => {
  const cases: [text: string, folded: string][] = [
    ["Save As…", "saveas..."],
    ["Größe ändern", "grosseandern"],
    ["ＦＵＬＬ", "full"],
    ["naïve  café", "naivecafe"],
    ["保存", "保存"],
    ["  ", ""],
  ];
  for (const [text, expected] of cases) assertEquals(folded(text), expected, text);
  assertEquals(folded("Größe ändern", true), "Größeändern");
});

Deno.test("letters alike in shape cost little, others a whole one, marks and swaps less", () => {
  const cases: [wanted: string, read: string, match: number][] = [
    ["save", "save", 1],
    ["save", "saved", 0.8],
    ["save", "safe", 0.75],
    ["illinois", "lllinois", 0.9625],
    ["100", "l0O".toLowerCase(), 0.8],
    ["ok", "0k", 0.85],
    ["name", "name:", 0.94],
    ["name:", "name", 0.94],
    ["form", "from", 0.85],
    ["файл", "файл", 1],
    ["cop", "сор", 0.7], // Cyrillic letters of the same shapes
    ["a", "b", 0],
    ["", "a", 0],
    ["", "", 0],
  ];
  for (const [wanted, read, match] of cases) {
    assertEquals(agreement(wanted, read), match, `${wanted} ${read}`);
  }
});

Deno.test("less than the least agreement is none", () => {
  assertEquals(agreement("save", "saved", 0.8), 0.8);
  assertEquals(agreement("save", "saved", 0.81), 0);
  assertEquals(agreement("preferences", "prefs", 0.9), 0);
});

Deno.test("where case is kept, an upper letter is not its lower one", () => {
  assertEquals(agreement(folded("Save", true), folded("save", true)), 0.75);
  assertEquals(agreement(folded("Save", true), folded("Save", true)), 1);
});
