/**
 * A keyboard on a desktop with one keyboard map for all programs: the person's. Characters in the person's
 * layout are typed with its keys; others are committed through the desktop's input method, or pasted.
 */

import { delay } from "@std/async/delay";
import { InputError } from "../../../core/errors.ts";
import { openLibc } from "../../linux/libc.ts";
import { unreadByClients } from "../../linux/socket.ts";
import { charactersOf, PressedKeys } from "../../text.ts";
import type { ConnectedKeyboard, Session } from "../way.ts";
import { OnDemand } from "../wire/background_connection.ts";
import { TypingPace } from "../wire/keymaps.ts";
import type { Link } from "../wire/link.ts";
import { LateCommands, PersonEngine } from "../wire/seat.ts";
import { codesOf, KeymapView, type Layout, LayoutView, usCodesOf } from "./layout.ts";
import { type KeyboardSettings, keyboardSettings, type SettingsName } from "./settings.ts";
import type { TextPaster } from "./text_paster.ts";
import { type KeyPresser, type PlannedText, type TextMethod, TextTyper, type Typing } from "./text_typer.ts";

/** Ctrl and Alt on both sides, and both Supers: with them, a character is part of a command. */
const COMMAND_CODES: ReadonlySet<number> = new Set([29, 97, 56, 125, 126]);
/** Shift on both sides and AltGr, which select among a key's characters. */
const LEVEL_CODES: readonly number[] = [42, 54, 100, 84];
const MODIFIER_CODES: ReadonlySet<number> = new Set([...COMMAND_CODES, ...LEVEL_CODES]);
const SHIFT = 42, CAPS_LOCK = 58, NUM_LOCK = 69, SCROLL_LOCK = 70;
/** Keys that change the characters of other keys. */
const STATE_CODES: ReadonlySet<number> = new Set([...MODIFIER_CODES, CAPS_LOCK, NUM_LOCK, SCROLL_LOCK]);
/** Maximum time for desktops to report Caps Lock after its key, in milliseconds. */
const LOCK_MS = 150;

/** A keyboard's parts. */
interface LayoutKeyboardParts {
  keys: KeyPresser;
  /** The compositor's keyboard map, closed with the keyboard. */
  maps: OnDemand<KeymapView>;
  /** The active layout, and why keys would not arrive as sent. */
  settings: KeyboardSettings;
  pace: TypingPace;
  /** The desktop's input method, closed with the keyboard; omitted if there is none. */
  method?: TextMethod;
  /** The input method engine, closed with the keyboard; omitted if `method` handles it. */
  engine?: PersonEngine;
  /** Pastes characters that cannot be typed otherwise; omitted if programs cannot use the clipboard. */
  paster?: TextPaster;
}

/** The keyboard of one connection. */
export class LayoutKeyboard implements ConnectedKeyboard {
  readonly #keys: KeyPresser;
  readonly #view: LayoutView;
  readonly #method: TextMethod | undefined;
  readonly #engine: PersonEngine | undefined;
  readonly #typer: TextTyper;
  readonly #pressed = new PressedKeys();
  readonly #late = new LateCommands();
  /** The last key that waits for the layout; later keys wait as well, so that they do not overtake it. */
  #reading: Promise<void> | undefined;
  /** When Caps Lock was last pressed or released. */
  #lockedAt = -Infinity;

  constructor({ keys, maps, settings, pace, method, engine, paster }: LayoutKeyboardParts) {
    this.#keys = keys;
    this.#method = method;
    this.#engine = engine;
    this.#view = new LayoutView(maps, settings, () => this.#wake());
    this.#typer = new TextTyper(this.#keys, pace, method, paster);
  }

  /** Sends releases of pressed keys, and presses while the layout is known, before it returns. */
  async key(key: string, down: boolean): Promise<void> {
    await this.#key(key, [down]);
  }

  async tap(key: string): Promise<void> {
    await this.#key(key, [true, false]);
  }

  async #key(key: string, downs: readonly boolean[]): Promise<void> {
    if (!this.#reading) {
      const held = this.#pressed.of(key), layout = held ? undefined : this.#view.peek();
      const codes = held ?? (layout && this.#codesNow(key, layout));
      if (codes) return await this.#press(key, codes, downs);
    }
    await this.#keyLater(key, downs);
  }

  async type(text: string, signal?: AbortSignal, typed?: (codePoint: number) => void): Promise<void> {
    const characters = charactersOf(text);
    signal?.throwIfAborted();
    if (!characters.length) return;
    const layout = await this.#view.read(), planned = await this.#typer.plan(characters, layout);
    try {
      const type = () => this.#type(planned, { layout, signal, typed });
      await (this.#engine ? this.#engine.without(this.#keys, type) : type());
    } finally {
      await planned.end();
    }
  }

  async ready(signal?: AbortSignal): Promise<void> {
    await this.#late.handled(signal);
  }

  /** Does nothing, since typing changes no key. */
  restore(): Promise<void> {
    return Promise.resolve();
  }

  /** Frees the connection, and restores the person's input method before it returns. Never throws. */
  close(): void {
    this.#method?.close();
    this.#engine?.close();
    this.#view.close();
  }

  /** Types a text without the held modifiers. */
  async #type(planned: PlannedText, typing: Typing): Promise<void> {
    const pressAgain = await this.#releaseModifiers();
    try {
      await this.#typer.type(planned, typing);
    } finally {
      await pressAgain();
    }
  }

  /** As {@linkcode #press}, once the layout is known, after all keys that are waiting for it. */
  #keyLater(key: string, downs: readonly boolean[]): Promise<void> {
    const run = async () => {
      const held = this.#pressed.of(key);
      if (held) return await this.#press(key, held, downs);
      const layout = await this.#view.read(), codes = this.#codesNow(key, layout);
      if (codes) await this.#press(key, codes, downs);
      else if (downs[0]) await this.#typeKey(key);
    };
    const reading = (this.#reading ?? Promise.resolve()).then(run, run);
    const done = () => {
      if (this.#reading === reading) this.#reading = undefined;
    };
    this.#reading = reading;
    reading.then(done, done);
    return reading;
  }

  /** A key's codes, in the order of pressing; undefined if the layout lacks the key. */
  #codesNow(key: string, layout: Layout): readonly number[] | undefined {
    const codes = codesOf(key, layout);
    if (!("keysym" in codes)) return codes;
    // In a command such as Ctrl+C, programs look at the letter's position on a US keyboard.
    return this.#isCommand ? usCodesOf(key) : undefined;
  }

  /**
   * Types the character of a key missing from the layout; its release types nothing.
   * @throws InputError if the key has no character, is part of a command, or cannot be typed.
   */
  async #typeKey(key: string): Promise<void> {
    const isCharacter = [...key].length === 1;
    if (isCharacter && !this.#isCommand) return await this.type(key);
    throw new InputError(`this keyboard has no key ${key}${isCharacter ? " for a command" : ""}`);
  }

  /** Presses a key, releases it, or both, all sent together. */
  #press(key: string, codes: readonly number[], downs: readonly boolean[]): Promise<void> {
    const isModifier = (code: number) => STATE_CODES.has(code) || code !== codes.at(-1);
    for (const down of downs) {
      const sent = down ? this.#pressed.press(key, codes) : this.#pressed.release(key, codes);
      for (const code of sent) this.#keys.press(code, down, isModifier(code));
    }
    if (codes.includes(CAPS_LOCK)) this.#lockedAt = performance.now();
    return this.#keys.flush();
  }

  /** Whether a modifier is held that makes a key a command. */
  get #isCommand(): boolean {
    return [...this.#pressed.held].some((code) => COMMAND_CODES.has(code));
  }

  /**
   * Releases the held modifiers, and turns Caps Lock off.
   * @returns A function that undoes that, except for keys that have since been released.
   * @throws StateError if a person holds a modifier that cannot be released.
   */
  async #releaseModifiers(): Promise<() => Promise<void>> {
    const held = [...this.#pressed.held].filter((code) => MODIFIER_CODES.has(code));
    for (const code of held.toReversed()) this.#keys.press(code, false, true);
    let isLocked = false;
    const pressAgain = async () => {
      if (isLocked) {
        this.#strokeCapsLock();
        this.#lockedAt = performance.now();
      }
      const still = this.#pressed.held;
      for (const code of held) if (still.has(code)) this.#keys.press(code, true, true);
      if (isLocked || held.length) await this.#keys.flush();
    };
    try {
      await this.#keys.releaseOthers?.([...MODIFIER_CODES]);
    } catch (error) {
      await pressAgain();
      throw error;
    }
    isLocked = await this.#isCapsLocked();
    if (isLocked) this.#strokeCapsLock();
    return pressAgain;
  }

  async #isCapsLocked(): Promise<boolean> {
    if (!this.#keys.isCapsLocked) return false;
    const wait = this.#lockedAt + LOCK_MS - performance.now();
    if (wait > 0) await delay(wait);
    return await this.#keys.isCapsLocked();
  }

  #strokeCapsLock(): void {
    for (const down of [true, false]) this.#keys.press(CAPS_LOCK, down, true);
  }

  /** Presses a key that types nothing. */
  async #wake(): Promise<void> {
    for (const down of [true, false]) this.#keys.press(SHIFT, down, true);
    await this.#keys.flush();
  }
}

// Creates keyboards for desktops that have one keyboard map for all programs and devices.

/** A keyboard's session and desktop. */
interface KeyboardOptions extends Pick<LayoutKeyboardParts, "keys" | "method" | "paster"> {
  session: Session;
  /** The desktop that stores the settings; the one named by the environment if omitted. */
  settings?: SettingsName;
  /**
   * A connection from which to read the keyboard map as well; if omitted, a separate connection for the map.
   */
  link?: Link;
}

/**
 * Creates a keyboard, which the caller closes before its keys.
 * @example
 * const keyboard = openLayoutKeyboard({ keys, session, settings: "gnome", paster });
 * await keyboard.type("漢");
 */
export function openLayoutKeyboard(
  { keys, session, settings, method, paster, link }: KeyboardOptions,
): LayoutKeyboard {
  return new LayoutKeyboard({
    keys,
    maps: new OnDemand(session.socket, KeymapView.open, link),
    settings: keyboardSettings(session, settings),
    pace: new TypingPace(() => unreadByClients(openLibc(), session.socket)),
    method,
    engine: method ? undefined : new PersonEngine(session),
    paster,
  });
}
