/** How a text is typed: which keyboard maps, and which keys of them. Pure. */

import { KEYS_IN_TEXT } from "../text.ts";
import { CHARACTER_KEYS, CODES_BY_NAME } from "./key_codes.ts";

/** A key to press. */
export interface Stroke {
  code: number;
  shift: boolean;
  /** What it types. */
  codePoint: number;
}

/** Characters and the map that they are typed with. */
export interface TypedPart {
  /** Codes by code point; undefined for the keyboard's own map. */
  codes: ReadonlyMap<number, number> | undefined;
  strokes: Stroke[];
}

/** Keys of the keyboard's own map by code point. */
export const OWN_STROKES: ReadonlyMap<number, Stroke> = new Map<number, Stroke>([
  ...CHARACTER_KEYS.flatMap(({ code, plain, shifted }) => [
    strokeOf(plain.codePointAt(0)!, code, false),
    strokeOf(shifted.codePointAt(0)!, code, true),
  ]),
  strokeOf(0x20, CODES_BY_NAME.get("space")!, false),
  ...[...KEYS_IN_TEXT].map(([codePoint, name]) => strokeOf(codePoint, CODES_BY_NAME.get(name)!, false)),
]);

function strokeOf(codePoint: number, code: number, shift: boolean): [number, Stroke] {
  return [codePoint, { codePoint, code, shift }];
}

/** Keys that can have any character. All programs take these for keys that type something. */
const FREE_CODES: readonly number[] = [...CHARACTER_KEYS.map(({ code }) => code), 86];

/**
 * Plans a text. One that a US keyboard has is typed by its own map; any other by maps with a key for each character,
 * as few as possible, since each takes time to reach programs.
 * @param characters Code points.
 */
export function planText(characters: readonly number[]): TypedPart[] {
  if (characters.every((character) => OWN_STROKES.has(character))) {
    return [{ codes: undefined, strokes: characters.map((character) => OWN_STROKES.get(character)!) }];
  }
  const parts: TypedPart[] = [];
  for (const part of partsOf(characters)) {
    const codes = assignCodes(new Set(part));
    parts.push({
      codes,
      strokes: part.map((character) => strokeOf(character, codes.get(character)!, false)[1]),
    });
  }
  return parts;
}

/** Whether a character has the same key in every map. */
function isFixed(character: number): boolean {
  return character === 0x20 || KEYS_IN_TEXT.has(character);
}

/** Cuts a text so that each part has no more different characters than there are keys. */
function* partsOf(characters: readonly number[]): Generator<number[]> {
  let part: number[] = [];
  const different = new Set<number>();
  for (const character of characters) {
    if (!isFixed(character) && !different.has(character)) {
      if (different.size === FREE_CODES.length) {
        yield part;
        part = [];
        different.clear();
      }
      different.add(character);
    }
    part.push(character);
  }
  yield part;
}

/** Gives each character a key: its own of a US keyboard where that is free, since programs may look at the code. */
function assignCodes(characters: ReadonlySet<number>): Map<number, number> {
  const codes = new Map<number, number>(), taken = new Set<number>();
  const assign = (character: number, code: number) => {
    codes.set(character, code);
    taken.add(code);
  };
  for (const character of characters) {
    const own = OWN_STROKES.get(character);
    if (own && (isFixed(character) || !own.shift)) assign(character, own.code);
  }
  for (const character of characters) {
    if (!codes.has(character)) assign(character, FREE_CODES.findLast((code) => !taken.has(code))!);
  }
  return codes;
}
