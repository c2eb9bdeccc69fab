/** The keyboard of Windows: keys and text, sent to the window in front. */

import { delay } from "@std/async/delay";
import type { Keyboard } from "../../control/desktop.ts";
import { KEYS, namedKey } from "../../control/keys.ts";
import { InputError } from "../../core/errors.ts";
import { charactersOf, KEYS_IN_TEXT } from "../text.ts";
import { type KeyboardInput, packUnit, pressKey } from "./input.ts";
import { vkOfName } from "./key_names.ts";
import { KeyboardLayout, LEFT_SHIFT } from "./keyboard_layout.ts";
import type { Libraries } from "./libraries.ts";
import type { InputSender } from "./sender.ts";

const VK_TAB = 0x09;
/** Characters in one call of SendInput; between calls other work runs, and the receiver catches up. */
const CHARACTERS_AT_ONCE = 32;
/** Pressed and released while Alt or Win is down, it keeps menus closed; no keyboard has this code (as AutoHotkey does). */
const MENU_MASK = 0xe8;
/** Alt and Win, left and right. */
const MENU_KEYS = new Set([0xa4, 0xa5, 0x5b, 0x5c]);
/** {@linkcode MENU_KEYS} and Ctrl, left and right: with them letters are commands. */
const COMMANDS = [...MENU_KEYS, 0xa2, 0xa3];
/** A person's modifier that a text released is pressed again only if the text took less than this, in milliseconds. */
const PERSON_HOLDS_MS = 250;

/** Modifiers that need KEYEVENTF_EXTENDEDKEY. */
const EXTENDED = new Set(KEYS.filter((key) => key.modifier && key.extended).map((key) => key.vk));
/** Every modifier once. */
const MODIFIERS = [...new Set(KEYS.filter((key) => key.modifier && key.vk !== 0).map((key) => key.vk))];

/** A key of this keyboard. */
interface KeyStroke {
  /** Virtual keys to be held with the key, in the order in which they are pressed. */
  modifiers: readonly number[];
  /** The inputs that press the key. */
  press: KeyboardInput[];
  release: KeyboardInput[];
}

/** A key that was pressed. */
interface Pressed extends KeyStroke {
  /** Tells whether the key is down; if not, Windows refused to press or to release it. */
  down: boolean;
}

/** Keys and text by SendInput. */
export class WindowsKeyboard implements Keyboard {
  /**
   * Pressed keys by name, with the inputs that release them: the layout may have changed since. Keys may share virtual
   * keys.
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

  /** Nothing to undo: text is sent without a change of the layout. */
  restore(): Promise<void> {
    return Promise.resolve();
  }

  #press(key: string): void {
    this.sender.guard.checkKeyboard();
    const before = this.#pressed.get(key);
    // A second press is a repetition: the release has to undo the first press.
    const stroke = before?.down ? before : this.#owned(this.#strokeOf(key));
    const missing = stroke.modifiers.filter((vk) => !this.#isDown(vk));
    // Stores the key before the press, so that a press that fails midway is released too.
    const pressed = { ...stroke, down: false };
    this.#pressed.set(key, pressed);
    this.sender.send([...modifierInputs(missing, true, this.#layout()), ...stroke.press]);
    pressed.down = true;
  }

  #release(key: string): void {
    // A key that another program or a person holds is released too.
    const pressed = this.#pressed.get(key) ?? { ...this.#strokeOf(key), modifiers: [], down: false };
    pressed.down = false;
    const held = this.#held();
    // A character that is sent as itself has no virtual key.
    const own = pressed.release.filter(({ vk }) => vk === 0 || !held.has(vk));
    const modifiers = pressed.modifiers.filter((vk) => !held.has(vk));
    this.sender.send([...own, ...modifierInputs(modifiers, false, this.#layout()).reverse()]);
    this.#pressed.delete(key); // kept if sending failed: another try then releases its modifiers too
  }

  /** Virtual keys that deskhand holds down. */
  #held(): Set<number> {
    const down = [...this.#pressed.values()].filter(({ down }) => down);
    return new Set(down.flatMap(({ modifiers, release }) => [...modifiers, ...release.map(({ vk }) => vk)]));
  }

  #isDown(vk: number): boolean {
    return this.user32.GetAsyncKeyState(vk) < 0;
  }

  /** Tells whether a modifier is down that makes commands of letters. */
  #commands(): boolean {
    const held = this.#held();
    return COMMANDS.some((vk) => held.has(vk) || this.#isDown(vk));
  }

  #layout(): KeyboardLayout {
    return KeyboardLayout.ofForeground(this.user32);
  }

  /** A stroke without the modifiers that other programs or a person hold: a release must leave those down. */
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
        `Windows has no key ${JSON.stringify(name)}: name it, or write vk:0x01 to vk:0xfe`,
      );
    }
    // A letter with Ctrl, Alt or Win is a command, which programs recognize by its virtual key: the letter's code in
    // every layout (winuser.h, VK_A to VK_Z).
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

/** The typing of one character: by a virtual key, or by its UTF-16 units. */
export type TypedCharacter = { vk: number } | { units: readonly number[] };

/**
 * Splits a text into its characters.
 * @param text The text. Enter, Tab and similar characters become virtual keys, since many programs ignore them as
 * characters.
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
