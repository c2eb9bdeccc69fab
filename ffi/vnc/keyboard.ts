/**
 * The keyboard of a VNC desktop. VNC servers silently drop characters that their keyboard lacks; all of them have
 * ASCII, with Shift where a US keyboard has it. Other characters are pasted, or refused.
 */

import { delay } from "@std/async/delay";
import { namedKey } from "../../control/desktop/keys.ts";
import type { Keyboard } from "../../control/desktop/desktop.ts";
import { InputError } from "../../core/errors.ts";
import { keysymOfCharacter } from "../../rfb/keysyms.ts";
import { CLIENT_MESSAGE, longs, message } from "../../rfb/protocol.ts";
import type { OwnActions } from "../own_actions.ts";
import { QUIRKS } from "../quirks.ts";
import { charactersOf, KEYS_IN_TEXT, PressedKeys, untypable } from "../text.ts";
import type { VncClipboard } from "./clipboard.ts";
import type { Link } from "./link.ts";

const SHIFT = 0xffe1, { krfbShift: KRFB } = QUIRKS;
/** The signs of a keyboard of the United States without and with Shift. */
const PLAIN = "`1234567890-=[]\\;',./", SHIFTED = '~!@#$%^&*()_+{}|:"<>?';
/** A key by its code, as recordings have it. */
const KEY_CODE = /^keysym:0x([0-9a-f]+)$/;
/** Characters that are sent at once to a server that tells when it has handled them. */
const BATCH = 16;
/**
 * The time between two characters for other servers, in milliseconds: the keyboard of a virtual machine keeps 16 codes,
 * and loses further ones.
 */
const PACE_MS = 10;
const WHY = "a VNC server does not say whether its keyboard has it; --desktop-paste KEYS pastes such texts";

/** Presses and types. */
export class VncKeyboard implements Keyboard {
  readonly #pressed = new PressedKeys();

  constructor(
    readonly link: Link,
    readonly own: OwnActions,
    readonly clipboard: VncClipboard,
    readonly paste: readonly string[] | undefined,
  ) {}

  async key(key: string, down: boolean): Promise<void> {
    const codes = this.#keysyms(key);
    const changed = down ? this.#pressed.press(key, codes) : this.#pressed.release(key, codes);
    this.own.report({ type: "key", key, down });
    await this.link.send(message(...changed.map((keysym) => keyEvent(keysym, down))));
  }

  async type(text: string, signal?: AbortSignal): Promise<void> {
    const characters = charactersOf(text), foreign = characters.find((code) => !isSure(code));
    if (foreign !== undefined && !this.paste) throw untypable(foreign, WHY);
    const held = [...this.#pressed.held];
    await this.#send(held.toReversed(), false);
    try {
      if (foreign === undefined) await this.#typeKeys(characters, signal);
      else await this.clipboard.paste(text, () => this.#pressPaste());
    } finally {
      await this.#send(held, true);
    }
    if (foreign !== undefined) { for (const code of characters) this.own.reportCharacter(code); }
  }

  restore(): Promise<void> {
    return Promise.resolve();
  }

  async #typeKeys(characters: readonly number[], signal?: AbortSignal): Promise<void> {
    const { hasFences } = this.link.facts, batch = hasFences ? BATCH : 1;
    for (let i = 0; i < characters.length; i += batch) {
      signal?.throwIfAborted();
      const part = characters.slice(i, i + batch);
      for (const code of part) this.own.reportCharacter(code);
      await this.link.send(message(...part.map((code) => this.#characterEvents(code))));
      if (!hasFences) await delay(PACE_MS);
    }
  }

  async #pressPaste(): Promise<void> {
    const codes = this.paste!.flatMap((key) => this.#keysyms(key));
    await this.#send(codes, true);
    await this.#send(codes.toReversed(), false);
  }

  async #send(keysyms: readonly number[], down: boolean): Promise<void> {
    if (keysyms.length) await this.link.send(message(...keysyms.map((keysym) => keyEvent(keysym, down))));
  }

  /** The keysyms of a key, its own last. @throws InputError if the server may not have the key. */
  #keysyms(key: string): number[] {
    const named = namedKey(key), code = KEY_CODE.exec(key);
    if (named) return [named.keysym];
    if (code) return [parseInt(code[1], 16)];
    if (!isSure(key.codePointAt(0)!)) throw new InputError(`key ${key} may not exist: ${WHY}`);
    const isShifted = this.#pressed.held.has(SHIFT), shown = isShifted ? withShift(key) : key;
    return this.#shifted(isShifted && this.#losesShift(shown) ? KRFB.key : shown);
  }

  /** The keysym of a character, behind Shift where a US keyboard needs it. */
  #shifted(character: string): number[] {
    const isPlain = !needsShift(character) || this.#losesShift(character);
    return [...isPlain ? [] : [SHIFT], keysymOfCharacter(character)];
  }

  #losesShift(character: string): boolean {
    return character === KRFB.character && KRFB.names.test(this.link.name);
  }

  /** Presses and releases a character. */
  #characterEvents(code: number): Uint8Array {
    const name = KEYS_IN_TEXT.get(code);
    const keysyms = name === undefined ? this.#shifted(String.fromCodePoint(code)) : [namedKey(name)!.keysym];
    return message(
      ...keysyms.map((one) => keyEvent(one, true)),
      ...keysyms.toReversed().map((one) => keyEvent(one, false)),
    );
  }
}

/** Whether every server types a character. */
function isSure(code: number): boolean {
  return KEYS_IN_TEXT.has(code) || code >= 0x20 && code <= 0x7e;
}

function needsShift(character: string): boolean {
  return SHIFTED.includes(character) || character >= "A" && character <= "Z";
}

/** The character that a key types with Shift. */
function withShift(character: string): string {
  return SHIFTED[PLAIN.indexOf(character)] ?? character.toUpperCase();
}

function keyEvent(keysym: number, down: boolean): Uint8Array {
  return message([CLIENT_MESSAGE.key, down ? 1 : 0, 0, 0], longs(keysym));
}
