/** The typing of a text: the key of each character. Pure. */

import { cutText, KEYS_IN_TEXT } from "../../text.ts";
import { CHARACTER_KEYS, CODES_BY_NAME } from "./key_codes.ts";

/** The place of a symbol on the keyboard. */
export interface KeyPlace {
  code: number;
  /** XKB's group of symbols, from 0, which is a US keyboard's. */
  group: number;
  /** XKB's level in the group: 1 is chosen by Shift, 2 by AltGr, 3 by both. */
  level: number;
}

/** A key to press. */
export interface Stroke extends KeyPlace {
  /** The character that the stroke types. */
  codePoint: number;
}

/** Keys of a US keyboard by code point. */
export const OWN_STROKES: ReadonlyMap<number, Stroke> = new Map<number, Stroke>([
  ...CHARACTER_KEYS.flatMap(({ code, plain, shifted }) => [
    ownStroke(plain.codePointAt(0)!, code, 0),
    ownStroke(shifted.codePointAt(0)!, code, 1),
  ]),
  ownStroke(0x20, CODES_BY_NAME.get("space")!, 0),
  ...[...KEYS_IN_TEXT].map(([codePoint, name]) => ownStroke(codePoint, CODES_BY_NAME.get(name)!, 0)),
]);

function ownStroke(codePoint: number, code: number, level: number): [number, Stroke] {
  return [codePoint, { codePoint, code, level, group: 0 }];
}

/**
 * Places for other characters, in the order in which they are taken: first those that need no modifier, which programs
 * may see. All programs treat these keys as keys that type a character.
 */
export const PLACES: readonly KeyPlace[] = [0, 1, 2, 3].flatMap((level) =>
  [1, 2, 3].flatMap((group) => CHARACTER_KEYS.map(({ code }) => ({ code, group, level })))
);

/**
 * Cuts a text so that no part has more different characters than there are {@linkcode PLACES}.
 * @param characters Code points.
 */
export function partsOf(characters: readonly number[]): Generator<number[]> {
  return cutText(characters, (character) => !OWN_STROKES.has(character), PLACES.length);
}
