/** Texts that must arrive complete. */

import { TYPED_TEXTS } from "../../tests/support/program.ts";

/** The 95 printable ASCII characters. */
const ASCII = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join("");

/** First characters of Unicode blocks used for writing, and of pictographs. */
const SCRIPTS = [
  ...[0xe0, 0x100, 0x391, 0x410, 0x561, 0x5d0, 0x627, 0x905, 0x995, 0xa15, 0xc15, 0xe01, 0x10d0, 0x1e00],
  ...[0x20a0, 0x2190, 0x2200, 0x2500, 0x3041, 0x30a1, 0x4e00, 0x8a00, 0xac00, 0x1200, 0x1f600],
];
const EACH = 8;

/** A text of 200 different characters in 25 scripts. */
const MANY_SCRIPTS = SCRIPTS.flatMap((first) =>
  Array.from({ length: EACH }, (_, i) => String.fromCodePoint(first + i))
).join("");

/** Texts that are typed into programs: name of the action → texts by description. */
export const TEXTS: Readonly<Record<string, readonly (readonly [name: string, text: string])[]>> = {
  texts: TYPED_TEXTS,
  ascii: [["95 characters", ASCII]],
  scripts: [["200 characters", MANY_SCRIPTS]],
};

/** Number of characters to show of a difference. */
const SHOWN = 24;

/**
 * Describes in words how a received text differs from the sent one.
 * @returns undefined if it does not differ.
 */
export function difference(sent: string, arrived: string | undefined): string | undefined {
  if (sent === arrived) return undefined;
  if (!arrived) return "nothing arrived";
  const a = Array.from(sent), b = Array.from(arrived);
  const at = b.findIndex((character, i) => character !== a[i]), from = at < 0 ? b.length : at;
  const part = (text: string[]) => JSON.stringify(text.slice(from, from + SHOWN).join(""));
  return `from character ${from + 1} of ${a.length} on, ${part(a)} arrived as ${part(b)}` +
    (a.length === b.length ? "" : ` (${b.length} characters in all)`);
}
