/** The keyboard layout of the window in front: which key types which character. */

import type { LayoutLookup } from "./key_names.ts";
import type { Libraries } from "./libraries.ts";

/** MapVirtualKeyExW. */
const MAPVK_VK_TO_VSC = 0;
const MAPVK_VK_TO_CHAR = 2;
const MAPVK_VK_TO_VSC_EX = 4;
/** MAPVK_VK_TO_CHAR sets this bit for dead keys. */
const DEAD = 0x80000000;
/** ToUnicodeEx: leave the state of dead keys as it is (Windows 10, version 1607). */
const KEEP_STATE = 4;

/** VK_LSHIFT, VK_LCONTROL, VK_LMENU, VK_RMENU and the kinds that ToUnicodeEx looks at. */
export const LEFT_SHIFT = 0xa0;
const LEFT_CTRL = 0xa2;
const LEFT_ALT = 0xa4;
const RIGHT_ALT = 0xa5;
const KINDS: Record<number, number> = {
  [LEFT_SHIFT]: 0x10,
  [LEFT_CTRL]: 0x11,
  [LEFT_ALT]: 0x12,
  [RIGHT_ALT]: 0x12,
};

/**
 * Scan codes as PC keyboards send them, for which MapVirtualKey may give another code or none: VK_SNAPSHOT maps to
 * SysRq's, which is Alt+PrintScreen; the keypad's digits and point (from VK_NUMPAD0 on, and VK_DECIMAL) map to none
 * in Wine.
 */
const SCAN_CODES: Record<number, number> = {
  0x2c: 0x37,
  ...Object.fromEntries(
    [0x52, 0x4f, 0x50, 0x51, 0x4b, 0x4c, 0x4d, 0x47, 0x48, 0x49].map((scan, digit) => [0x60 + digit, scan]),
  ),
  0x6e: 0x53,
};

/** A key and what must be held with it. */
export interface CharacterKey {
  vk: number;
  /** Virtual keys, in the order in which they are pressed. */
  modifiers: readonly number[];
}

/** One keyboard layout (HKL). */
export class KeyboardLayout implements LayoutLookup {
  constructor(readonly user32: Libraries["user32"], readonly handle: bigint) {}

  /** The layout that the window in front has chosen; layouts differ from window to window. */
  static ofForeground(user32: Libraries["user32"]): KeyboardLayout {
    const thread = user32.GetWindowThreadProcessId(user32.GetForegroundWindow(), null);
    // Console windows have no layout of their own: the calling thread's is used.
    return new KeyboardLayout(user32, user32.GetKeyboardLayout(thread) || user32.GetKeyboardLayout(0));
  }

  /** The scan code of a virtual key, without prefix; 0 if the layout has none. */
  scanCode(vk: number): number {
    return SCAN_CODES[vk] ?? this.user32.MapVirtualKeyExW(vk, MAPVK_VK_TO_VSC, this.handle) & 0xff;
  }

  /** Tells whether the scan code of a virtual key has the prefix E0 or E1. */
  isExtended(vk: number): boolean {
    return this.user32.MapVirtualKeyExW(vk, MAPVK_VK_TO_VSC_EX, this.handle) > 0xff;
  }

  /**
   * The key that types a character.
   * @returns undefined if no key does, or only a dead key, which waits for the next key.
   */
  keyFor(character: string): CharacterKey | undefined {
    if (character.length !== 1) return undefined;
    const scanned = this.user32.VkKeyScanExW(character.charCodeAt(0), this.handle);
    const vk = scanned & 0xff;
    const shift = (scanned >> 8) & 0xff; // 1 Shift, 2 Ctrl, 4 Alt; other bits are keys of Asian keyboards
    if (scanned === -1 || vk === 0xff || shift > 7) return undefined;
    // Ctrl and Alt together are AltGr, which is the right-hand Alt.
    const modifiers = [
      ...(shift & 1 ? [LEFT_SHIFT] : []),
      ...(shift & 2 ? [LEFT_CTRL] : []),
      ...(shift & 4 ? [shift & 2 ? RIGHT_ALT : LEFT_ALT] : []),
    ];
    return this.#isDead(vk, modifiers) ? undefined : { vk, modifiers };
  }

  /**
   * The character that a key types without modifiers, letters in lower case; undefined if it types none, or is a dead
   * key.
   */
  unshifted(vk: number): string | undefined {
    const code = this.user32.MapVirtualKeyExW(vk, MAPVK_VK_TO_CHAR, this.handle);
    return code === 0 || code >= DEAD ? undefined : String.fromCharCode(code & 0xffff).toLowerCase();
  }

  /** The character that a key types with Shift, or AltGr, or both; undefined if it types none, or is a dead key. */
  typed(vk: number, shift: boolean, altGr: boolean): string | undefined {
    const modifiers = [...(shift ? [LEFT_SHIFT] : []), ...(altGr ? [LEFT_CTRL, RIGHT_ALT] : [])];
    const { count, units } = this.#unicode(vk, modifiers);
    return count > 0 ? String.fromCharCode(...units.subarray(0, count)) : undefined;
  }

  #isDead(vk: number, modifiers: readonly number[]): boolean {
    return this.#unicode(vk, modifiers).count < 0;
  }

  /** ToUnicodeEx: how many UTF-16 code units a key types, and which; less than 0 for a dead key. */
  #unicode(vk: number, modifiers: readonly number[]): { count: number; units: Uint16Array } {
    const state = new Uint8Array(256);
    for (const modifier of modifiers) state[modifier] = state[KINDS[modifier]] = 0x80;
    const units = new Uint16Array(8), scan = this.scanCode(vk);
    const count = this.user32.ToUnicodeEx(vk, scan, state, units, units.length, KEEP_STATE, this.handle);
    return { count, units };
  }
}
