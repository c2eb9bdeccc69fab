/** Keys and text, sent to the window in front. */

import { KEYS, namedKey } from "../../control/keys.ts";
import { InputError } from "../../errors.ts";
import { type KeyboardInput, packUnit, pressKey } from "./input.ts";
import { vkOfName } from "./key_names.ts";
import { Layout } from "./layout.ts";
import type { Libraries } from "./libraries.ts";
import type { InputSender } from "./sender.ts";
import { type Stroke, strokes } from "./text.ts";

/** Characters in one call of SendInput; between calls other work goes on and the receiver catches up. */
const CHARACTERS_AT_ONCE = 32;
/** Released between Alt or Win going down and up, no menu opens; a code that no keyboard has (as AutoHotkey does). */
const MENU_MASK = 0xe8;
/** Alt and Win, left and right. */
const MENU_KEYS = new Set([0xa4, 0xa5, 0x5b, 0x5c]);
/** A person's modifier that was let go for a text is pressed again only if the text took less than this. */
const PERSON_HOLDS_MS = 250;

/** Virtual keys that exist twice on a keyboard and want KEYEVENTF_EXTENDEDKEY. */
const EXTENDED = new Set(KEYS.filter((key) => key.modifier && key.extended).map((key) => key.vk));
/** Every modifier once. */
const MODIFIERS = [...new Set(KEYS.filter((key) => key.modifier && key.vk !== 0).map((key) => key.vk))];

/** The keyboard of a desktop. */
export class Keyboard {
  readonly #user32: Libraries["user32"];
  readonly #sender: InputSender;
  /** Virtual keys that deskhand holds. */
  readonly #held = new Set<number>();
  /** Keys by name that are down, with what lets go of them: a layout may have changed meanwhile. */
  readonly #releases = new Map<string, KeyboardInput[]>();

  constructor(user32: Libraries["user32"], sender: InputSender) {
    this.#user32 = user32;
    this.#sender = sender;
  }

  /**
   * Presses or lets go of a key.
   * @param key A name of `control/keys.ts`, one character, or `vk:0xNN`.
   * @throws InputError if Windows has no such key.
   * @throws DesktopGoneError if Windows refuses.
   */
  key(key: string, down: boolean): void {
    if (!down) return this.#release(key);
    this.#sender.checkKeyboard();
    const { press, release } = this.#inputsOf(key);
    this.#sender.send(press);
    // A second press is a repetition: the modifiers of the first are still to be let go.
    if (!this.#releases.has(key)) this.#releases.set(key, release);
    for (const { vk } of release) this.#held.add(vk);
  }

  /** Types a text as `Desktop.type` says. */
  async type(text: string, signal?: AbortSignal): Promise<void> {
    const todo = strokes(text);
    signal?.throwIfAborted();
    if (todo.length === 0) return;
    this.#sender.checkKeyboard();
    const layout = Layout.ofForeground(this.#user32);
    const down = MODIFIERS.filter((vk) => this.#held.has(vk) || this.#user32.GetAsyncKeyState(vk) < 0);
    const started = performance.now();
    this.#sender.send(this.#modifiers(down, false, layout));
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
      const again = down.filter((vk) => this.#held.has(vk) || quick);
      this.#sender.send(this.#modifiers(again, true, layout));
    }
  }

  #release(key: string): void {
    const release = this.#releases.get(key) ?? this.#inputsOf(key).release;
    this.#releases.delete(key);
    for (const { vk } of release) this.#held.delete(vk);
    this.#sender.send(release);
  }

  /** What presses a key and what lets go of it. */
  #inputsOf(name: string): { press: KeyboardInput[]; release: KeyboardInput[] } {
    const layout = Layout.ofForeground(this.#user32);
    if (name === "backtab") return this.#chord(layout, 0x09, [0xa0]);
    const key = namedKey(name);
    if (key) {
      if (key.vk === 0) throw new InputError(`Windows has no key ${name}`);
      return both(key.vk, layout.scanCode(key.vk), key.extended);
    }
    const vk = vkOfName(name);
    if (vk !== undefined) return both(vk, layout.scanCode(vk), layout.isExtended(vk));
    const found = layout.keyFor(name);
    if (found) return this.#chord(layout, found.vk, found.modifiers);
    if ([...name].length !== 1) {
      throw new InputError(
        `Windows has no key ${JSON.stringify(name)}: name it, or write vk:0x01 to vk:0xfe`,
      );
    }
    const units = name.split("").map((unit) => unit.charCodeAt(0));
    return {
      press: units.map((unit) => packUnit(unit, true)),
      release: units.map((unit) => packUnit(unit, false)),
    };
  }

  /** A key with the modifiers that are not down yet. */
  #chord(layout: Layout, vk: number, modifiers: readonly number[]) {
    const missing = modifiers.filter((modifier) => this.#user32.GetAsyncKeyState(modifier) >= 0);
    const keys = [...missing, vk];
    const inputs = (down: boolean) =>
      keys.map((code) => pressKey(code, layout.scanCode(code), EXTENDED.has(code), down));
    return { press: inputs(true), release: inputs(false).reverse() };
  }

  /** Lets go of modifiers, or presses them again, so that no menu opens by it. */
  #modifiers(keys: readonly number[], down: boolean, layout: Layout): KeyboardInput[] {
    const mask = keys.some((vk) => MENU_KEYS.has(vk))
      ? [pressKey(MENU_MASK, 0, false, true), pressKey(MENU_MASK, 0, false, false)]
      : [];
    const inputs = keys.map((vk) => pressKey(vk, layout.scanCode(vk), EXTENDED.has(vk), down));
    return down ? [...inputs, ...mask] : [...mask, ...inputs];
  }
}

function both(vk: number, scan: number, extended: boolean) {
  return { press: [pressKey(vk, scan, extended, true)], release: [pressKey(vk, scan, extended, false)] };
}

function typed(stroke: Stroke, layout: Layout): KeyboardInput[] {
  if ("vk" in stroke) {
    const { press, release } = both(stroke.vk, layout.scanCode(stroke.vk), false);
    return [...press, ...release];
  }
  return stroke.units.flatMap((unit) => [packUnit(unit, true), packUnit(unit, false)]);
}
