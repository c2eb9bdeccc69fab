/** Text as a sequence of characters and keys, the same for every backend. */

import { namedKey, typedCharacter } from "../control/desktop/keys.ts";
import { InputError } from "../core/errors.ts";

/** Control characters that act as keys in a text, by code point, named as in `control/desktop/keys.ts`. */
export const KEYS_IN_TEXT: ReadonlyMap<number, string> = new Map([
  [0x0a, "enter"],
  [0x0d, "enter"],
  [0x09, "tab"],
  [0x08, "backspace"],
  [0x1b, "escape"],
]);

/**
 * Splits a text into its characters.
 * @returns Code points; a carriage return followed by a line feed is one Enter.
 * @throws InputError naming the first character that cannot be typed: other control characters, surrogate
 * halves, and code points that are not characters.
 */
export function charactersOf(text: string): number[] {
  const characters = [...text.replaceAll("\r\n", "\n")].map((character) => character.codePointAt(0)!);
  for (const code of new Set(characters)) {
    if (!KEYS_IN_TEXT.has(code) && !isCharacter(code)) throw untypable(code, "no keyboard has a key for it");
  }
  return characters;
}

/**
 * The key (`control/desktop/keys.ts`) for a typed character: Enter for a line feed, otherwise its own key.
 */
export function keyOfCharacter(codePoint: number): string {
  return KEYS_IN_TEXT.get(codePoint) ?? (codePoint === 0x20 ? "space" : String.fromCodePoint(codePoint));
}

/**
 * Cuts a text into parts that can each be typed with one keyboard map.
 * @param characters Code points.
 * @param needs Whether a character needs a spare key.
 * @param capacity The number of spare keys in a map.
 * @example
 * [...cutText([7, 8, 7, 9], () => true, 2)]; // [[7, 8, 7], [9]]
 */
export function* cutText(
  characters: readonly number[],
  needs: (character: number) => boolean,
  capacity: number,
): Generator<number[]> {
  let from = 0;
  const different = new Set<number>();
  for (const [i, character] of characters.entries()) {
    if (!needs(character) || different.has(character)) continue;
    if (different.size === capacity) {
      yield characters.slice(from, i);
      from = i;
      different.clear();
    }
    different.add(character);
  }
  yield characters.slice(from);
}

/**
 * Cuts a text into parts that contain no character twice.
 * @param characters Code points.
 * @example
 * [...cutAtRepeats([7, 8, 8, 7])]; // [[7, 8], [8, 7]]
 */
export function* cutAtRepeats(characters: readonly number[]): Generator<number[]> {
  let part = new Set<number>();
  for (const character of characters) {
    if (part.has(character)) {
      yield [...part];
      part = new Set();
    }
    part.add(character);
  }
  yield [...part];
}

/**
 * Cuts a text so that certain characters become parts of their own.
 * @param characters Code points.
 * @param isApart Whether a character is one of those.
 * @example
 * [...cutApart([7, 8, 9, 9, 7], (character) => character === 9)]; // [[7, 8], [9], [9], [7]]
 */
export function* cutApart(
  characters: readonly number[],
  isApart: (character: number) => boolean,
): Generator<number[]> {
  let part: number[] = [];
  for (const character of characters) {
    if (part.length && (isApart(character) || isApart(part[0]))) {
      yield part;
      part = [];
    }
    part.push(character);
  }
  yield part;
}

/**
 * The error for a character that cannot be typed.
 * @param why The reason, with which the sentence ends.
 */
export function untypable(codePoint: number, why: string): InputError {
  const hex = codePoint.toString(16).toUpperCase().padStart(4, "0");
  const shown = isCharacter(codePoint) ? ` (${String.fromCodePoint(codePoint)})` : "";
  return new InputError(`text contains U+${hex}${shown}, which cannot be typed: ${why}`);
}

/** Modifiers that select among a key's characters; any other makes a press a command, such as Ctrl+C. */
const LEVEL_KEYS: ReadonlySet<string> = new Set(["shift", "rightshift", "altgr"]);

/**
 * The `text` of a key press.
 * @param key The key's name.
 * @param down Names of the keys that are down; undefined for a key without a name.
 * @param character The character that the keyboard produces for the press; empty if none.
 * @returns undefined if the key's name implies the text (`typedCharacter`), or if nothing is typed.
 */
export function textOfPress(
  key: string,
  down: Iterable<string | undefined>,
  character: string,
): string | undefined {
  const modifiers = [...down].filter((name) => name !== undefined && namedKey(name)?.modifier);
  if (modifiers.some((name) => !LEVEL_KEYS.has(name!))) return undefined;
  if (character !== " " && !/^[^\p{C}\p{Z}]$/u.test(character)) return undefined;
  const shift = modifiers.some((name) => name !== "altgr");
  return character === typedCharacter(key, shift) ? undefined : character;
}

function isCharacter(codePoint: number): boolean {
  return !/[\p{Cc}\p{Cs}\p{Cn}]/u.test(String.fromCodePoint(codePoint));
}

// The keys that deskhand's own keyboard holds down. Pure.

/** Pressed keys by name, with the codes that each holds. Keys may share a code, such as Shift's. */
export class PressedKeys {
  readonly #codes = new Map<string, readonly number[]>();

  /** Codes that pressed keys hold. */
  get held(): Set<number> {
    return new Set([...this.#codes.values()].flat());
  }

  /** A pressed key's codes, in the order of pressing; undefined if it is not pressed. */
  of(key: string): readonly number[] | undefined {
    return this.#codes.get(key);
  }

  /**
   * Presses a key. A second press repeats the first, so its release must undo the first press.
   * @param codes The codes to use if the key is not pressed, in the order of pressing; the key's own code
   * comes last.
   * @returns The codes to press: those that no key holds yet, and the key's own code, which repeats.
   * @example
   * const keys = new PressedKeys();
   * keys.press("shift", [42]);
   * keys.press("?", [42, 53]); // [53]
   */
  press(key: string, codes: readonly number[]): number[] {
    const all = this.#codes.get(key) ?? codes, held = this.held;
    this.#codes.set(key, all);
    return all.filter((code, i) => i === all.length - 1 || !held.has(code));
  }

  /**
   * Releases a key.
   * @param codes The codes to use if the key is not pressed, since another program or a person may hold it.
   * Only its own code is then released, not its modifiers.
   * @returns The codes to release, in this order: those that no other key holds.
   */
  release(key: string, codes: readonly number[]): number[] {
    const all = this.#codes.get(key) ?? codes.slice(-1);
    this.#codes.delete(key);
    const held = this.held;
    return all.filter((code) => !held.has(code)).reverse();
  }
}
