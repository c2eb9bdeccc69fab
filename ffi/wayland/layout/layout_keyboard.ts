/**
 * A keyboard on a desktop that has one keyboard map for all: the person's. What the person's layout has is typed by its
 * keys; the rest by an XKB option of the person's desktop, or by the clipboard where that may not be used.
 */

import { delay } from "@std/async/delay";
import { InputError, UnsupportedError } from "../../../core/errors.ts";
import { charactersOf } from "../../text.ts";
import type { ConnectedKeyboard } from "../connected_desktop.ts";
import { AddedSymbols } from "./added_symbols.ts";
import type { KeyPresser } from "./key_presser.ts";
import type { Layout } from "./layout.ts";
import { codesOf, usCodesOf } from "./layout_keys.ts";
import { LayoutView } from "./layout_view.ts";
import { assignKeys } from "./planned_text.ts";
import type { TextPaster } from "./text_paster.ts";
import { TextTyper } from "./text_typer.ts";
import type { XkbOption } from "./xkb_option.ts";

/** Ctrl and Alt on both sides, and both Supers: with them a character is part of a command. */
const COMMAND_CODES: ReadonlySet<number> = new Set([29, 97, 56, 125, 126]);
/** Shift on both sides and AltGr choose between the characters of a key. */
const MODIFIER_CODES: ReadonlySet<number> = new Set([...COMMAND_CODES, 42, 54, 100, 84]);
const SHIFT = 42, CAPS_LOCK = 58;
/** How long desktops take to tell of Caps Lock after its key, in milliseconds. */
const LOCK_MS = 150;

/** What a keyboard is made of. */
export interface LayoutKeyboardParts {
  keys: KeyPresser;
  /** The path of the compositor's socket. */
  socket: string;
  /** Gives keys further symbols, and is closed with the keyboard; a text says why there is none. */
  option: XkbOption | string;
  /** Which layout of the compositor's map is active, from 0. */
  group: () => Promise<number>;
  /** Stands in for the option; left out where programs do not get at the clipboard. */
  paster?: TextPaster;
}

/** The keyboard of one connection. */
export class LayoutKeyboard implements ConnectedKeyboard {
  readonly #keys: KeyPresser;
  readonly #view: LayoutView;
  readonly #added: AddedSymbols;
  readonly #typer: TextTyper;
  /** Codes that each pressed key holds, in the order of pressing; keys may share some. */
  readonly #down = new Map<string, readonly number[]>();

  /** When Caps Lock was pressed or released last. */
  #lockedAt = -Infinity;

  constructor({ keys, socket, option, group, paster }: LayoutKeyboardParts) {
    this.#keys = keys;
    this.#added = new AddedSymbols(option);
    this.#view = new LayoutView(socket, group, () => this.#wake());
    this.#typer = new TextTyper(keys, this.#view, this.#added, paster);
  }

  /** The release of a key that was pressed is sent before this returns, and a press while the layout is known. */
  key(key: string, down: boolean): void | Promise<void> {
    const layout = this.#down.has(key) ? undefined : this.#view.peek();
    const codes = this.#down.get(key) ?? (layout && this.#codesNow(key, layout)); // a second press is a repetition
    if (codes) return this.#press(key, codes, down);
    return this.#view.read().then(async (layout) => {
      await this.#press(key, this.#codesNow(key, layout) ?? await this.#addedCodes(key, layout), down);
    });
  }

  async type(text: string, signal?: AbortSignal, typed?: (codePoint: number) => void): Promise<void> {
    const characters = charactersOf(text);
    signal?.throwIfAborted();
    if (!characters.length) return;
    const layout = await this.#view.read(), planned = await this.#typer.plan(characters, layout);
    const pressAgain = await this.#releaseModifiers();
    try {
      await this.#typer.type(planned, { layout, signal, typed });
    } finally {
      await pressAgain();
    }
  }

  /** Takes the option out at once. */
  async restore(): Promise<void> {
    await this.#added.restore();
  }

  /** Takes the option out before it returns. Never throws. */
  close(): void {
    this.#added.close();
    this.#view.close();
  }

  /** The codes of a key, in the order of pressing, if it needs no change of the map. */
  #codesNow(key: string, layout: Layout): readonly number[] | undefined {
    const codes = codesOf(key, layout);
    if (!("keysym" in codes)) return codes;
    // In a command, programs take the key that a US keyboard has there.
    const isCommand = [...this.#held()].some((code) => COMMAND_CODES.has(code));
    const us = isCommand ? usCodesOf(key) : undefined;
    if (us) return us;
    const code = this.#added.codeOf(codes.keysym);
    return code === undefined ? undefined : [code];
  }

  /**
   * The codes of a key that gets its symbol by the option.
   * @throws InputError if the option cannot be used.
   */
  async #addedCodes(key: string, layout: Layout): Promise<readonly number[]> {
    const codes = codesOf(key, layout);
    if (!("keysym" in codes)) return codes;
    const held = this.#held(), free = layout.free.filter(({ code }) => !held.has(code));
    try {
      if (!free.length) throw new UnsupportedError("no key of the keyboard map is free");
      await this.#added.give(assignKeys(new Set([codes.keysym]), free, this.#added.present), this.#view);
    } catch (error) {
      if (!(error instanceof UnsupportedError)) throw error;
      throw new InputError(`this keyboard has no key ${key}: ${error.message}`);
    }
    return [this.#added.codeOf(codes.keysym)!];
  }

  #press(key: string, codes: readonly number[], down: boolean): void | Promise<void> {
    const held = this.#held();
    if (down) {
      this.#down.set(key, codes);
      codes.forEach((code, i) => {
        if (i === codes.length - 1 || !held.has(code)) this.#keys.press(code, true);
      });
    } else {
      // Of a key that another program or a person holds, the modifiers are not released.
      const own = this.#down.delete(key) ? codes : codes.slice(-1), still = this.#held();
      for (const code of own.toReversed()) if (!still.has(code)) this.#keys.press(code, false);
    }
    if (codes.includes(CAPS_LOCK)) this.#lockedAt = performance.now();
    this.#added.touch();
    return this.#keys.flush();
  }

  /** Codes that pressed keys hold. */
  #held(): Set<number> {
    return new Set([...this.#down.values()].flat());
  }

  /**
   * Releases the modifiers that are held, and turns Caps Lock off.
   * @returns Undoes that, except for what has been released meanwhile.
   */
  async #releaseModifiers(): Promise<() => Promise<void>> {
    const held = [...this.#held()].filter((code) => MODIFIER_CODES.has(code));
    for (const code of held.toReversed()) this.#keys.press(code, false);
    const isLocked = await this.#isCapsLocked();
    if (isLocked) this.#typer.stroke([CAPS_LOCK]);
    return async () => {
      if (isLocked) {
        this.#typer.stroke([CAPS_LOCK]);
        this.#lockedAt = performance.now();
      }
      const still = this.#held();
      for (const code of held) if (still.has(code)) this.#keys.press(code, true);
      if (isLocked || held.length) await this.#keys.flush();
    };
  }

  async #isCapsLocked(): Promise<boolean> {
    if (!this.#keys.isCapsLocked) return false;
    const wait = this.#lockedAt + LOCK_MS - performance.now();
    if (wait > 0) await delay(wait);
    return await this.#keys.isCapsLocked();
  }

  /** Presses a key that types nothing. */
  async #wake(): Promise<void> {
    this.#typer.stroke([SHIFT]);
    await this.#keys.flush();
  }
}
