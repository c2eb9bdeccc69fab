/** Text as the strokes that type it. Pure. */

import { namedKey } from "../../control/keys.ts";
import { charactersOf, KEYS_IN_TEXT } from "../text.ts";

/** One character: a virtual key, or the UTF-16 units to send. */
export type Stroke = { vk: number } | { units: readonly number[] };

/**
 * Splits a text into strokes, one a character.
 * @param text Its keys (Enter, Tab and others) are virtual keys: as characters many programs ignore them.
 * @throws InputError as {@linkcode charactersOf} does.
 */
export function strokes(text: string): Stroke[] {
  return charactersOf(text).map((code) => {
    const key = KEYS_IN_TEXT.get(code);
    if (key !== undefined) return { vk: namedKey(key)!.vk };
    const units = String.fromCodePoint(code).split("");
    return { units: units.map((unit) => unit.charCodeAt(0)) };
  });
}
