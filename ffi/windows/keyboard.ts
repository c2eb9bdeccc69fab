/** The Windows keyboard: keys and text, sent to the foreground window. */

import { delay } from "@std/async/delay";
import type { Keyboard } from "../../control/desktop/desktop.ts";
import { type Key, KEYS, namedKey } from "../../control/desktop/keys.ts";
import { InputError } from "../../core/errors.ts";
import { charactersOf, KEYS_IN_TEXT } from "../text.ts";
import { type InputSender, type KeyboardInput, packUnit, pressKey } from "./input.ts";
import type { Libraries } from "./symbols.ts";

// Virtual keys and their names in `control/desktop/keys.ts`. Pure.

/** The parts of a keyboard layout that naming requires. */
export interface LayoutLookup {
  /** The character that a key types without modifiers. */
  unshifted(vk: number): string | undefined;
  /**
   * The character that a key types with Shift, AltGr, or both; undefined if it types none, or is a dead key.
   */
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
 * VK_SHIFT, VK_CONTROL, VK_MENU: codes without a side, which other programs send for keys that keyboards have
 * on the left and on the right.
 */
const SIDELESS: Record<number, string> = { 0x10: "shift", 0x11: "ctrl", 0x12: "alt" };

/**
 * Names a key so that pressing the name presses that key again.
 * @param vk Virtual-key code, 1 to 254.
 * @param extended Whether its scan code has the E0 prefix, which distinguishes Enter from the keypad's Enter.
 * @returns A key's name, the character that the key types without modifiers, or `vk:0xNN`.
 */
export function nameOfKey(vk: number, extended: boolean, layout: LayoutLookup): string {
  const key = BY_CODE.get(vk | (extended ? 0x100 : 0)) ?? BY_VK.get(vk);
  if (key) return key.name;
  if (SIDELESS[vk]) return SIDELESS[vk];
  const character = layout.unshifted(vk);
  // Control, separator and unassigned characters are not valid names.
  if (character !== undefined && [...character].length === 1 && !/[\p{C}\p{Z}]/u.test(character)) {
    const back = layout.keyFor(character);
    if (back?.vk === vk && back.modifiers.length === 0) return character;
  }
  return vkName(vk);
}

/** The name for a key without another name. */
export function vkName(vk: number): string {
  return `vk:0x${vk.toString(16).padStart(2, "0")}`;
}

/** The code in a name returned by {@linkcode vkName}, 1 to 254; undefined for any other name. */
export function vkOfName(name: string): number | undefined {
  const code = /^vk:0x([0-9a-f]{2})$/.exec(name)?.[1];
  const vk = code === undefined ? 0 : parseInt(code, 16);
  return vk >= 1 && vk <= 254 ? vk : undefined;
}

// The foreground window's keyboard layout: which key types which character.

/** MapVirtualKeyExW. */
const MAPVK_VK_TO_VSC = 0;
const MAPVK_VK_TO_CHAR = 2;
const MAPVK_VK_TO_VSC_EX = 4;
/** The bit that MAPVK_VK_TO_CHAR sets for dead keys. */
const DEAD = 0x80000000;
/** ToUnicodeEx: do not change the dead key state (Windows 10, version 1607). */
const KEEP_STATE = 4;

/** VK_LSHIFT, VK_LCONTROL, VK_LMENU, VK_RMENU and the sideless codes that ToUnicodeEx uses. */
const LEFT_SHIFT = 0xa0;
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
 * Scan codes as sent by PC keyboards, for which MapVirtualKey may return another code or none: VK_SNAPSHOT
 * maps to SysRq's, which is Alt+PrintScreen; the keypad's digits and decimal point (from VK_NUMPAD0 on, and
 * VK_DECIMAL) map to none in Wine.
 */
const SCAN_CODES: Record<number, number> = {
  0x2c: 0x37,
  ...Object.fromEntries(
    [0x52, 0x4f, 0x50, 0x51, 0x4b, 0x4c, 0x4d, 0x47, 0x48, 0x49].map((scan, digit) => [0x60 + digit, scan]),
  ),
  0x6e: 0x53,
};

/** A key and the modifiers to hold with it. */
interface CharacterKey {
  vk: number;
  /** Virtual keys, in the order in which they are pressed. */
  modifiers: readonly number[];
}

/** One keyboard layout (HKL). */
export class KeyboardLayout implements LayoutLookup {
  constructor(readonly user32: Libraries["user32"], readonly handle: bigint) {}

  /** The layout chosen by the foreground window; layouts differ from window to window. */
  static ofForeground(user32: Libraries["user32"]): KeyboardLayout {
    const thread = user32.GetWindowThreadProcessId(user32.GetForegroundWindow(), null);
    // Console windows have no layout of their own, so the calling thread's is used.
    return new KeyboardLayout(user32, user32.GetKeyboardLayout(thread) || user32.GetKeyboardLayout(0));
  }

  /** A virtual key's scan code, without prefix; 0 if the layout has none. */
  scanCode(vk: number): number {
    return SCAN_CODES[vk] ?? this.user32.MapVirtualKeyExW(vk, MAPVK_VK_TO_VSC, this.handle) & 0xff;
  }

  /** Whether a virtual key's scan code has the prefix E0 or E1. */
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
    // Ctrl and Alt together are AltGr, which is the right Alt key.
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

  /**
   * The character that a key types with Shift, AltGr, or both; undefined if it types none, or is a dead key.
   */
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

const VK_TAB = 0x09;
/** Number of characters in one SendInput call; between calls, other work runs and the receiver catches up. */
const CHARACTERS_AT_ONCE = 32;
/**
 * A key code that no keyboard has (as in AutoHotkey): pressed with Alt or Win down, it keeps menus closed.
 */
const MENU_MASK = 0xe8;
/** Alt and Win, left and right. */
const MENU_KEYS = new Set([0xa4, 0xa5, 0x5b, 0x5c]);
/** {@linkcode MENU_KEYS} and Ctrl, left and right, which make letters commands. */
const COMMANDS = [...MENU_KEYS, 0xa2, 0xa3];
/** Maximum time for a text after which a person's released modifier is pressed again, in milliseconds. */
const PERSON_HOLDS_MS = 250;

/** Modifiers that require KEYEVENTF_EXTENDEDKEY. */
const EXTENDED = new Set(KEYS.filter((key) => key.modifier && key.extended).map((key) => key.vk));
/** Every modifier once. */
const MODIFIERS = [...new Set(KEYS.filter((key) => key.modifier && key.vk !== 0).map((key) => key.vk))];

/** A key on this keyboard. */
interface KeyStroke {
  /** Virtual keys to hold with the key, in the order in which they are pressed. */
  modifiers: readonly number[];
  /** The inputs that press the key. */
  press: KeyboardInput[];
  release: KeyboardInput[];
}

/** A pressed key. */
interface Pressed extends KeyStroke {
  /** Whether the key is down; if not, Windows refused to press or release it. */
  down: boolean;
}

/** Keys and text through SendInput. */
export class WindowsKeyboard implements Keyboard {
  /**
   * Pressed keys by name, with the inputs that release them, since the layout may have changed. Keys may
   * share virtual keys.
   */
  readonly #pressed = new Map<string, Pressed>();

  constructor(readonly user32: Libraries["user32"], readonly sender: InputSender) {}

  key(key: string, down: boolean): Promise<void> {
    return Promise.try(() => down ? this.#press(key) : this.#release(key));
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const characters = typedCharacters(text);
    signal?.throwIfAborted();
    if (characters.length === 0) return;
    this.sender.guard.checkKeyboard();
    const layout = this.#layout();
    const own = this.#held();
    const down = MODIFIERS.filter((vk) => own.has(vk) || this.#isDown(vk));
    const started = performance.now();
    this.sender.send(masked(down, false, layout));
    try {
      for (let at = 0; at < characters.length; at += CHARACTERS_AT_ONCE) {
        if (at > 0) {
          await delay(1);
          signal?.throwIfAborted();
          this.sender.guard.checkKeyboard();
        }
        const batch = characters.slice(at, at + CHARACTERS_AT_ONCE);
        this.sender.send(batch.flatMap((character) => inputsOf(character, layout)));
      }
    } finally {
      const quick = performance.now() - started < PERSON_HOLDS_MS;
      const held = this.#held();
      const again = down.filter((vk) => own.has(vk) ? held.has(vk) : quick);
      this.sender.send(masked(again, true, layout));
    }
  }

  /** Nothing to undo, since text is sent without changing the layout. */
  restore(): Promise<void> {
    return Promise.resolve();
  }

  #press(key: string): void {
    this.sender.guard.checkKeyboard();
    const before = this.#pressed.get(key);
    // A second press is a repetition: the release must undo the first press.
    const stroke = before?.down ? before : this.#owned(this.#strokeOf(key));
    const missing = stroke.modifiers.filter((vk) => !this.#isDown(vk));
    // Stores the key before the press, so that a press that fails midway is also released.
    const pressed = { ...stroke, down: false };
    this.#pressed.set(key, pressed);
    this.sender.send([...modifierInputs(missing, true, this.#layout()), ...stroke.press]);
    pressed.down = true;
  }

  #release(key: string): void {
    // A key held by another program or a person is also released.
    const pressed = this.#pressed.get(key) ?? { ...this.#strokeOf(key), modifiers: [], down: false };
    pressed.down = false;
    const held = this.#held();
    // A character sent as itself has no virtual key.
    const own = pressed.release.filter(({ vk }) => vk === 0 || !held.has(vk));
    const modifiers = pressed.modifiers.filter((vk) => !held.has(vk));
    this.sender.send([...own, ...modifierInputs(modifiers, false, this.#layout()).reverse()]);
    this.#pressed.delete(key); // kept if sending fails: a retry then also releases its modifiers
  }

  /** Virtual keys that deskhand holds down. */
  #held(): Set<number> {
    const down = [...this.#pressed.values()].filter(({ down }) => down);
    return new Set(down.flatMap(({ modifiers, release }) => [...modifiers, ...release.map(({ vk }) => vk)]));
  }

  #isDown(vk: number): boolean {
    return this.user32.GetAsyncKeyState(vk) < 0;
  }

  /** Whether a modifier is down that makes letters commands. */
  #commands(): boolean {
    const held = this.#held();
    return COMMANDS.some((vk) => held.has(vk) || this.#isDown(vk));
  }

  #layout(): KeyboardLayout {
    return KeyboardLayout.ofForeground(this.user32);
  }

  /** A stroke without the modifiers that other programs or a person hold, which a release must leave down. */
  #owned(stroke: KeyStroke): KeyStroke {
    const held = this.#held();
    return { ...stroke, modifiers: stroke.modifiers.filter((vk) => held.has(vk) || !this.#isDown(vk)) };
  }

  #strokeOf(name: string): KeyStroke {
    const layout = this.#layout();
    const stroke = (vk: number, extended: boolean, modifiers: readonly number[] = []) => ({
      modifiers,
      press: [pressKey(vk, layout.scanCode(vk), extended, true)],
      release: [pressKey(vk, layout.scanCode(vk), extended, false)],
    });
    if (name === "backtab") return stroke(VK_TAB, false, [LEFT_SHIFT]);
    const key = namedKey(name);
    if (key) {
      if (key.vk === 0) throw new InputError(`Windows has no key ${name}`);
      return stroke(key.vk, key.extended);
    }
    const vk = vkOfName(name);
    if (vk !== undefined) return stroke(vk, layout.isExtended(vk));
    const found = layout.keyFor(name);
    if (found) return stroke(found.vk, false, found.modifiers);
    if ([...name].length !== 1) {
      throw new InputError(
        `Windows has no key ${JSON.stringify(name)}: use a key name, or vk:0x01 to vk:0xfe`,
      );
    }
    // A letter with Ctrl, Alt or Win is a command, which programs recognize by its virtual key: the letter's
    // code in every layout (winuser.h, VK_A to VK_Z).
    if (/^[a-z]$/.test(name) && this.#commands()) return stroke(name.toUpperCase().charCodeAt(0), false);
    const units = name.split("").map((unit) => unit.charCodeAt(0));
    return {
      modifiers: [],
      press: units.map((unit) => packUnit(unit, true)),
      release: units.map((unit) => packUnit(unit, false)),
    };
  }
}

/** Inputs that press or release modifiers. */
function modifierInputs(keys: readonly number[], down: boolean, layout: KeyboardLayout): KeyboardInput[] {
  return keys.map((vk) => pressKey(vk, layout.scanCode(vk), EXTENDED.has(vk), down));
}

/** Inputs that release modifiers, or press them again, without opening a menu. */
function masked(keys: readonly number[], down: boolean, layout: KeyboardLayout): KeyboardInput[] {
  const mask = keys.some((vk) => MENU_KEYS.has(vk))
    ? [pressKey(MENU_MASK, 0, false, true), pressKey(MENU_MASK, 0, false, false)]
    : [];
  const inputs = modifierInputs(keys, down, layout);
  return down ? [...inputs, ...mask] : [...mask, ...inputs];
}

function inputsOf(character: TypedCharacter, layout: KeyboardLayout): KeyboardInput[] {
  if ("vk" in character) {
    const { vk } = character, scan = layout.scanCode(vk);
    return [pressKey(vk, scan, false, true), pressKey(vk, scan, false, false)];
  }
  return character.units.flatMap((unit) => [packUnit(unit, true), packUnit(unit, false)]);
}

/** How one character is typed: with a virtual key, or as UTF-16 units. */
export type TypedCharacter = { vk: number } | { units: readonly number[] };

/**
 * Splits a text into its characters.
 * @param text The text. Enter, Tab and similar characters become virtual keys, since many programs ignore
 * them as characters.
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
