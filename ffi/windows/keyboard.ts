/** Keys and text, sent to the window in front. */

import type { Keyboard } from "../../control/desktop.ts";
import { KEYS, namedKey } from "../../control/keys.ts";
import { InputError } from "../../core/errors.ts";
import { type KeyboardInput, packUnit, pressKey } from "./input.ts";
import { vkOfName } from "./key_names.ts";
import { KeyboardLayout, LEFT_SHIFT } from "./keyboard_layout.ts";
import type { Libraries } from "./libraries.ts";
import type { InputSender } from "./sender.ts";
import { type Stroke as TextStroke, strokes } from "./text.ts";

const VK_TAB = 0x09;
/** Characters in one call of SendInput; between calls other work goes on and the receiver catches up. */
const CHARACTERS_AT_ONCE = 32;
/** Released between Alt or Win going down and up, no menu opens; a code that no keyboard has (as AutoHotkey does). */
const MENU_MASK = 0xe8;
/** Alt and Win, left and right. */
const MENU_KEYS = new Set([0xa4, 0xa5, 0x5b, 0x5c]);
/** Those and Ctrl, left and right. */
const COMMANDS = [...MENU_KEYS, 0xa2, 0xa3];
/** A person's modifier that was let go for a text is pressed again only if the text took less than this. */
const PERSON_HOLDS_MS = 250;

/** Virtual keys that exist twice on a keyboard and want KEYEVENTF_EXTENDEDKEY. */
const EXTENDED = new Set(KEYS.filter((key) => key.modifier && key.extended).map((key) => key.vk));
/** Every modifier once. */
const MODIFIERS = [...new Set(KEYS.filter((key) => key.modifier && key.vk !== 0).map((key) => key.vk))];

/** A key of this keyboard. */
interface Stroke {
  /** Virtual keys to be held with it, in the order in which they are pressed. */
  modifiers: readonly number[];
  /** Its own inputs. */
  press: KeyboardInput[];
  release: KeyboardInput[];
}

/** A key that was pressed. */
interface Pressed extends Stroke {
  /** Whether it is down; if not, Windows refused to press it or to let go of it. */
  down: boolean;
}

/** The keyboard of a desktop. */
export class WindowsKeyboard implements Keyboard {
  readonly #user32: Libraries["user32"];
  readonly #sender: InputSender;
  /** By name, with what lets go of them: a layout may have changed meanwhile. Keys may share virtual keys. */
  readonly #pressed = new Map<string, Pressed>();

  constructor(user32: Libraries["user32"], sender: InputSender) {
    this.#user32 = user32;
    this.#sender = sender;
  }

  /**
   * Presses or lets go of a key.
   * @param key A name of `control/keys.ts`, one character, or `vk:0xNN`.
   * @throws InputError if Windows has no such key.
   * @throws DesktopUnavailableError if Windows refuses.
   */
  key(key: string, down: boolean): void {
    if (!down) return this.#release(key);
    this.#sender.checkKeyboard();
    const before = this.#pressed.get(key);
    // A second press is a repetition: what the first holds is still to be let go of.
    const stroke = before?.down ? before : this.#owned(this.#strokeOf(key));
    const missing = stroke.modifiers.filter((vk) => !this.#isDown(vk));
    // Noted before it is pressed: what was pressed by half is let go of too.
    const pressed = { ...stroke, down: false };
    this.#pressed.set(key, pressed);
    this.#sender.send([...modifierInputs(missing, true, this.#layout()), ...stroke.press]);
    pressed.down = true;
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const todo = strokes(text);
    signal?.throwIfAborted();
    if (todo.length === 0) return;
    this.#sender.checkKeyboard();
    const layout = this.#layout();
    const own = this.#held();
    const down = MODIFIERS.filter((vk) => own.has(vk) || this.#isDown(vk));
    const started = performance.now();
    this.#sender.send(masked(down, false, layout));
    try {
      for (let at = 0; at < todo.length; at += CHARACTERS_AT_ONCE) {
        if (at > 0) {
          await new Promise((resolve) => setTimeout(resolve, 1));
          signal?.throwIfAborted();
          this.#sender.checkKeyboard();
        }
        this.#sender.send(todo.slice(at, at + CHARACTERS_AT_ONCE).flatMap((stroke) => typed(stroke, layout)));
      }
    } finally {
      const quick = performance.now() - started < PERSON_HOLDS_MS;
      const held = this.#held();
      const again = down.filter((vk) => own.has(vk) ? held.has(vk) : quick);
      this.#sender.send(masked(again, true, layout));
    }
  }

  /** Nothing to undo: text is sent without a change of the layout. */
  restore(): Promise<void> {
    return Promise.resolve();
  }

  #release(key: string): void {
    // A key that somebody else holds down is let go of too.
    const pressed = this.#pressed.get(key) ?? { ...this.#strokeOf(key), modifiers: [], down: false };
    pressed.down = false;
    const held = this.#held();
    // A character that is sent as itself has no virtual key.
    const own = pressed.release.filter(({ vk }) => vk === 0 || !held.has(vk));
    const modifiers = pressed.modifiers.filter((vk) => !held.has(vk));
    this.#sender.send([...own, ...modifierInputs(modifiers, false, this.#layout()).reverse()]);
    this.#pressed.delete(key); // kept if it failed: whoever tries again lets go of its modifiers too
  }

  /** Virtual keys that deskhand holds. */
  #held(): Set<number> {
    const down = [...this.#pressed.values()].filter(({ down }) => down);
    return new Set(down.flatMap(({ modifiers, release }) => [...modifiers, ...release.map(({ vk }) => vk)]));
  }

  #isDown(vk: number): boolean {
    return this.#user32.GetAsyncKeyState(vk) < 0;
  }

  /** Whether anybody holds a modifier that makes commands of letters. */
  #commands(): boolean {
    const held = this.#held();
    return COMMANDS.some((vk) => held.has(vk) || this.#isDown(vk));
  }

  #layout(): KeyboardLayout {
    return KeyboardLayout.ofForeground(this.#user32);
  }

  /** A stroke without the modifiers that somebody else holds: they are not ours to let go of. */
  #owned(stroke: Stroke): Stroke {
    const held = this.#held();
    return { ...stroke, modifiers: stroke.modifiers.filter((vk) => held.has(vk) || !this.#isDown(vk)) };
  }

  #strokeOf(name: string): Stroke {
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
    // A letter with Ctrl, Alt or Win is a command, which programs know by its key: that has the letter's code in every
    // layout (winuser.h, VK_A to VK_Z).
    if (/^[a-z]$/.test(name) && this.#commands()) return stroke(name.toUpperCase().charCodeAt(0), false);
    const units = name.split("").map((unit) => unit.charCodeAt(0));
    return {
      modifiers: [],
      press: units.map((unit) => packUnit(unit, true)),
      release: units.map((unit) => packUnit(unit, false)),
    };
  }
}

/** Presses modifiers or lets go of them. */
function modifierInputs(keys: readonly number[], down: boolean, layout: KeyboardLayout): KeyboardInput[] {
  return keys.map((vk) => pressKey(vk, layout.scanCode(vk), EXTENDED.has(vk), down));
}

/** Lets go of modifiers, or presses them again, so that no menu opens by it. */
function masked(keys: readonly number[], down: boolean, layout: KeyboardLayout): KeyboardInput[] {
  const mask = keys.some((vk) => MENU_KEYS.has(vk))
    ? [pressKey(MENU_MASK, 0, false, true), pressKey(MENU_MASK, 0, false, false)]
    : [];
  const inputs = modifierInputs(keys, down, layout);
  return down ? [...inputs, ...mask] : [...mask, ...inputs];
}

function typed(stroke: TextStroke, layout: KeyboardLayout): KeyboardInput[] {
  if ("vk" in stroke) {
    const { vk } = stroke, scan = layout.scanCode(vk);
    return [pressKey(vk, scan, false, true), pressKey(vk, scan, false, false)];
  }
  return stroke.units.flatMap((unit) => [packUnit(unit, true), packUnit(unit, false)]);
}
