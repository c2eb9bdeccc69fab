/** Text as the strokes that type it. Pure. */

import { InputError } from "../../errors.ts";

/** VK_RETURN and VK_TAB, which programs want as keys: as characters many ignore them. */
const KEYS: Record<string, number> = { "\n": 0x0d, "\t": 0x09 };

/** One character: a virtual key, or the UTF-16 units to send. */
export type Stroke = { vk: number } | { units: readonly number[] };

/**
 * Splits a text into strokes, one a character.
 * @param text Line feeds (also after or instead of carriage returns) are Enter, tabs are Tab.
 * @throws InputError naming the first character that no keyboard types: other control characters, and halves of
 * surrogate pairs.
 */
export function strokes(text: string): Stroke[] {
  return [...text.replace(/\r\n?/g, "\n")].map((character) => {
    const vk = KEYS[character];
    if (vk !== undefined) return { vk };
    if (/\p{Cc}|\p{Cs}/u.test(character)) {
      const code = character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0");
      throw new InputError(`text has U+${code}, which cannot be typed: it is no character of a text`);
    }
    return { units: Array.from(character.split(""), (unit) => unit.charCodeAt(0)) };
  });
}
