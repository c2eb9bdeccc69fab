/**
 * Keyboard maps as texts (the XKB text format, version 1) that are given to the compositor with a virtual keyboard,
 * so that the meaning of a key does not depend on the person's layout. Pure.
 *
 * The types and the compatibility map are included from the system: without them XWayland ignores a map.
 */

import { KEYS_IN_TEXT } from "../../text.ts";
import { CHARACTER_KEYS, CODES_BY_NAME, KEYSYMS_BY_NAME, XKB_OFFSET } from "./key_codes.ts";
import type { Stroke } from "./typed_text.ts";

/** Bits of modifiers (X11 protocol, KEYBUTMASK) by the key that has them. */
export const MODIFIER_BITS: Readonly<Record<string, number>> = {
  shift: 1,
  rightshift: 1,
  ctrl: 4,
  rightctrl: 4,
  alt: 8,
  rightalt: 8,
  super: 64,
  rightsuper: 64,
  altgr: 128,
};
/** Modifiers that one press turns on and the next press off. */
export const LOCK_BITS: Readonly<Record<string, number>> = { capslock: 2, numlock: 16 };

/** Names of the modifiers in a map, by bit. */
const MODIFIER_NAMES: ReadonlyMap<number, string> = new Map([
  [1, "Shift"],
  [2, "Lock"],
  [4, "Control"],
  [8, "Mod1"],
  [16, "Mod2"],
  [64, "Mod4"],
  [128, "Mod5"],
]);

/** Symbols of keys that a US keyboard lacks. */
export interface AddedSymbols {
  /** The symbol of a spare key, by its code. */
  spare: ReadonlyMap<number, number>;
  /** Characters of further groups, in the order of {@linkcode PLACES}. */
  placed: readonly Stroke[];
}

/**
 * A US keyboard with every key of `control/keys.ts`, and the added symbols.
 * @returns The map's text.
 */
export function keyboardMap({ spare, placed }: AddedSymbols): string {
  const keys = new Map<number, string[]>();
  const add = (code: number, ...symbols: string[]) => keys.set(code, [...keys.get(code) ?? [], ...symbols]);
  for (const { code, plain, shifted } of CHARACTER_KEYS) {
    add(code, `symbols[Group1]=${listed([plain, shifted].map((one) => keysymOf(one.codePointAt(0)!)))}`);
  }
  for (const [name, code] of CODES_BY_NAME) {
    add(code, `symbols[Group1]=${listed([KEYSYMS_BY_NAME.get(name)!])}`);
  }
  for (const [code, keysym] of spare) add(code, `symbols[Group1]=${listed([keysym])}`);
  for (const [code, groups] of symbolsByCode(placed)) add(code, ...groupsOfKey(groups));
  const codes = [...keys.keys()].map((code) => `<K${code}>=${code + XKB_OFFSET};`).join("");
  const symbols = [...keys].map(([code, parts]) => `key <K${code}>{${parts}};`).join("");
  return `xkb_keymap{xkb_keycodes "deskhand"{minimum=8;maximum=255;${codes}};` +
    'xkb_types "deskhand"{include "complete"};xkb_compatibility "deskhand"{include "complete"};' +
    `xkb_symbols "deskhand"{${symbols}${MODIFIER_MAP}};};`;
}

/** The modifier of each key. */
const MODIFIER_MAP = [...Object.entries(MODIFIER_BITS), ...Object.entries(LOCK_BITS)].map(([name, bit]) =>
  `modifier_map ${MODIFIER_NAMES.get(bit)}{<K${CODES_BY_NAME.get(name)}>};`
).join("");

/** Keysyms by level, by group, by the code of the key. {@linkcode PLACES} has no gaps but the first group. */
function symbolsByCode(placed: readonly Stroke[]): Map<number, number[][]> {
  const all = new Map<number, number[][]>();
  for (const { code, group, level, codePoint } of placed) {
    if (!all.has(code)) all.set(code, []);
    (all.get(code)![group] ??= [])[level] = keysymOf(codePoint);
  }
  return all;
}

/**
 * The parts of a key that has further groups.
 * @param groups Keysyms by level, by group from 0, which is left out.
 */
function groupsOfKey(groups: readonly number[][]): string[] {
  // Names the key type, since XKB would otherwise choose one in which Caps Lock makes capitals.
  return groups.flatMap((keysyms, i) => [
    `type[Group${i + 1}]="FOUR_LEVEL"`,
    `symbols[Group${i + 1}]=${listed(keysyms)}`,
  ]);
}

function listed(keysyms: readonly number[]): string {
  return `[${keysyms.map((keysym) => `0x${keysym.toString(16)}`)}]`;
}

/**
 * The symbol of a character (X11 protocol, appendix A: Latin-1 unchanged, others by code point), or of the key that a
 * control character stands for.
 */
export function keysymOf(codePoint: number): number {
  const key = KEYS_IN_TEXT.get(codePoint);
  if (key) return KEYSYMS_BY_NAME.get(key)!;
  const isLatin1 = codePoint >= 0x20 && codePoint <= 0x7e || codePoint >= 0xa0 && codePoint <= 0xff;
  return isLatin1 ? codePoint : 0x1000000 + codePoint;
}
