/**
 * Keyboard maps as texts (the XKB text format, version 1) that are given to the compositor with a virtual keyboard, so
 * that what a key means does not depend on the person's layout. Pure.
 *
 * The types and the compatibility map are included from the system: without them XWayland ignores a map.
 */

import { KEYS_IN_TEXT } from "../text.ts";
import { CHARACTER_KEYS, CODES_BY_NAME, KEYSYMS_BY_NAME } from "./key_codes.ts";

/** XKB counts keys from 8 up (X11 protocol: keycodes are 8 to 255). */
const XKB_OFFSET = 8;

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
/** Modifiers that a press turns on and the next one off. */
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

/** Symbols of a key: alone, and with Shift. */
type Levels = readonly [plain: number, shifted?: number];

/**
 * A US keyboard with every key of `control/keys.ts`.
 * @param extra Symbols by the code of a spare key.
 */
export function keyboardMap(extra: ReadonlyMap<number, number>): string {
  const levels = new Map<number, Levels>();
  for (const { code, plain, shifted } of CHARACTER_KEYS) {
    levels.set(code, [keysymOf(plain.codePointAt(0)!), keysymOf(shifted.codePointAt(0)!)]);
  }
  for (const [name, code] of CODES_BY_NAME) levels.set(code, [KEYSYMS_BY_NAME.get(name)!]);
  for (const [code, keysym] of extra) levels.set(code, [keysym]);
  const modifiers = [...Object.entries(MODIFIER_BITS), ...Object.entries(LOCK_BITS)].map(([name, bit]) =>
    `modifier_map ${MODIFIER_NAMES.get(bit)}{<K${CODES_BY_NAME.get(name)}>};`
  );
  return mapText("complete", levels, modifiers.join(""));
}

/**
 * A keyboard whose keys have one character each.
 * @param codes Codes of keys by code point.
 */
export function textMap(codes: ReadonlyMap<number, number>): string {
  const levels = new Map<number, Levels>();
  for (const [codePoint, code] of codes) levels.set(code, [keysymOf(codePoint)]);
  return mapText("basic", levels, "");
}

function mapText(include: string, levels: ReadonlyMap<number, Levels>, modifiers: string): string {
  const codes = [...levels.keys()].map((code) => `<K${code}>=${code + XKB_OFFSET};`).join("");
  const symbols = [...levels].map(([code, keysyms]) =>
    `key <K${code}>{[${keysyms.map((keysym) => `0x${keysym!.toString(16)}`)}]};`
  ).join("");
  return `xkb_keymap{xkb_keycodes "deskhand"{minimum=8;maximum=255;${codes}};` +
    `xkb_types "deskhand"{include "${include}"};xkb_compatibility "deskhand"{include "${include}"};` +
    `xkb_symbols "deskhand"{${symbols}${modifiers}};};`;
}

/**
 * The symbol of a character (X11 protocol, appendix A: Latin-1 as it is, others by code point), or of the key that a
 * control character stands for.
 */
export function keysymOf(codePoint: number): number {
  const key = KEYS_IN_TEXT.get(codePoint);
  if (key) return KEYSYMS_BY_NAME.get(key)!;
  const isLatin1 = codePoint >= 0x20 && codePoint <= 0x7e || codePoint >= 0xa0 && codePoint <= 0xff;
  return isLatin1 ? codePoint : 0x1000000 + codePoint;
}
