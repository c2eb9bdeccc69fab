/** Virtual keys and the names of `control/keys.ts`. Pure. */

import { type Key, KEYS } from "../../control/keys.ts";

/** The part of a keyboard layout that naming needs. */
export interface LayoutLookup {
  /** The character that a key types without modifiers. */
  unshifted(vk: number): string | undefined;
  /** The character a key types with Shift, or AltGr, or both; undefined if it types none, or is a dead key. */
  typed(vk: number, shift: boolean, altGr: boolean): string | undefined;
  /** The key that types a character. */
  keyFor(character: string): { vk: number; modifiers: readonly number[] } | undefined;
}

const BY_CODE = new Map<number, Key>();
const BY_VK = new Map<number, Key>();
for (const key of KEYS) {
  if (key.vk === 0) continue;
  const code = key.vk | (key.extended ? 0x100 : 0);
  if (!BY_CODE.has(code)) BY_CODE.set(code, key);
  if (!BY_VK.has(key.vk)) BY_VK.set(key.vk, key);
}
/**
 * VK_SHIFT, VK_CONTROL, VK_MENU: codes without a side, which other programs send for keys that keyboards have on the
 * left and the right.
 */
const SIDELESS: Record<number, string> = { 0x10: "shift", 0x11: "ctrl", 0x12: "alt" };

/**
 * Names a key so that pressing the name presses that key again.
 * @param vk Virtual-key code, 1 to 254.
 * @param extended Whether its scan code has the E0 prefix, by which Enter and the keypad's Enter differ.
 * @returns A key's name, the character that the key types without modifiers, or `vk:0xNN`.
 */
export function nameOfKey(vk: number, extended: boolean, layout: LayoutLookup): string {
  const key = BY_CODE.get(vk | (extended ? 0x100 : 0)) ?? BY_VK.get(vk);
  if (key) return key.name;
  if (SIDELESS[vk]) return SIDELESS[vk];
  const character = layout.unshifted(vk);
  // Control, separator and unassigned characters are no names.
  if (character !== undefined && [...character].length === 1 && !/[\p{C}\p{Z}]/u.test(character)) {
    const back = layout.keyFor(character);
    if (back?.vk === vk && back.modifiers.length === 0) return character;
  }
  return vkName(vk);
}

/** The name of a key without another name. */
export function vkName(vk: number): string {
  return `vk:0x${vk.toString(16).padStart(2, "0")}`;
}

/** The code in a name of {@linkcode vkName}'s form, 1 to 254; undefined for any other. */
export function vkOfName(name: string): number | undefined {
  const code = /^vk:0x([0-9a-f]{2})$/.exec(name)?.[1];
  const vk = code === undefined ? 0 : parseInt(code, 16);
  return vk >= 1 && vk <= 254 ? vk : undefined;
}
