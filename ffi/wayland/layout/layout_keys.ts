/** Keys of the person's layout for a named key or a character. Pure. */

import { namedKey } from "../../../control/keys.ts";
import { InputError } from "../../../core/errors.ts";
import { charactersOf } from "../../text.ts";
import { CODES_BY_NAME } from "../wire/key_codes.ts";
import { keysymOf } from "../wire/keymaps.ts";
import { OWN_STROKES } from "../wire/typed_text.ts";
import type { Layout } from "./layout.ts";

const SHIFT = 42, TAB = 15;

/**
 * The codes of a key in the order of pressing: its own comes last.
 * @param key A name of `control/keys.ts`, or one character.
 * @returns A keysym instead, if no key of the layout has it.
 * @throws InputError for what no key of this system is.
 */
export function codesOf(key: string, layout: Layout): readonly number[] | { keysym: number } {
  if (key.startsWith("vk:")) {
    throw new InputError(`key ${key} is one of Windows, which Wayland does not know`);
  }
  if (key === "backtab") return [SHIFT, TAB];
  const given = /^keysym:0x([0-9a-f]+)$/.exec(key);
  const keysym = given ? parseInt(given[1], 16) : namedKey(key)?.keysym;
  if (keysym === undefined) {
    const [character] = charactersOf(key); // refuses what no keyboard has
    const stroke = layout.characters.get(character);
    return stroke ? [...stroke.modifiers, stroke.code] : { keysym: keysymOf(character) };
  }
  const usual = CODES_BY_NAME.get(key);
  // The number pad has a code for each key, and its symbols change with Num Lock.
  const stroke = key.startsWith("kp") && usual !== undefined ? undefined : layout.symbols.get(keysym);
  if (stroke) return [...stroke.modifiers, stroke.code];
  return usual === undefined ? { keysym } : [usual];
}

/** The codes of a character's key on a US keyboard; undefined if that has none. */
export function usCodesOf(key: string): readonly number[] | undefined {
  const stroke = OWN_STROKES.get(key.codePointAt(0)!);
  if ([...key].length !== 1 || !stroke) return undefined;
  return stroke.level ? [SHIFT, stroke.code] : [stroke.code];
}
