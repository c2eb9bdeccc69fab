/** Text as the inputs that type it. Pure. */

import { namedKey } from "../../control/keys.ts";
import { charactersOf, KEYS_IN_TEXT } from "../text.ts";

/** How one character is typed: by a virtual key, or by its UTF-16 units. */
export type TypedCharacter = { vk: number } | { units: readonly number[] };

/**
 * Splits a text into its characters.
 * @param text Its keys (Enter, Tab and others) become virtual keys: many programs ignore them as characters.
 * @throws InputError as {@linkcode charactersOf} does.
 */
export function typedCharacters(text: string): TypedCharacter[] {
  return charactersOf(text).map((code) => {
    const key = KEYS_IN_TEXT.get(code);
    if (key !== undefined) return { vk: namedKey(key)!.vk };
    const units = String.fromCodePoint(code).split("");
    return { units: units.map((unit) => unit.charCodeAt(0)) };
  });
}
